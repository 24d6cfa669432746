// hello_cpp: the same interface from C++17.
//
// The C header is all there is. Handles become std::unique_ptr with the release function as deleter, failures
// become exceptions, and containers of the standard library are one side of a copy. Launches, copies and fills
// read as they do in C.
#include <cstddef>
#include <exception>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <vector>

#include <weft/weft.h>

namespace {

template <auto release> struct releaser {
    template <typename T> void operator()(T *handle) const { release(handle); }
};
using context_ptr = std::unique_ptr<weft_context, releaser<weft_context_release>>;
using buffer_ptr = std::unique_ptr<weft_device_buffer, releaser<weft_device_buffer_release>>;
using function_ptr = std::unique_ptr<weft_function, releaser<weft_function_release>>;

void check(weft_status status) {
    if (status != WEFT_OK) {
        throw std::runtime_error(weft_error_message());
    }
}

// Calls a function whose last parameter is the new handle, and owns what it gives.
template <typename Owner, typename Create, typename... Args> Owner make(Create create, Args... args) {
    typename Owner::pointer handle = nullptr;
    check(create(args..., &handle));
    return Owner(handle);
}

constexpr char source[] = R"(
#include <weft.clh>

kernel void saxpy(float a, global const float *x, global float *y, long n) {
    if (global_idx.x < n) {
        y[global_idx.x] += a * x[global_idx.x];
    }
}
)";

void run() {
    constexpr std::size_t n = 10;
    std::vector<float> x(n), y(n, 100.0f);
    for (std::size_t i = 0; i < n; i++) {
        x[i] = static_cast<float>(i);
    }

    auto context = make<context_ptr>(weft_context_create, nullptr);
    auto saxpy = make<function_ptr>(weft_compile_function, context.get(), source, "saxpy", nullptr);
    auto device_x = make<buffer_ptr>(weft_enqueue_create_buffer, context.get(), WEFT_FLOAT32, n);
    auto device_y = make<buffer_ptr>(weft_enqueue_create_buffer, context.get(), WEFT_FLOAT32, n);

    check(weft_enqueue_copy(context.get(), device_x.get(), WEFT_SPAN(x.data(), x.size())));
    check(weft_enqueue_copy(context.get(), device_y.get(), WEFT_SPAN(y.data(), y.size())));
    check(weft_enqueue_function(context.get(), saxpy.get(), 1, n, 2.0f, device_x.get(), device_y.get(), n));
    check(weft_enqueue_copy(context.get(), WEFT_SPAN(y.data(), y.size()), device_y.get()));
    check(weft_synchronize(context.get()));

    for (std::size_t i = 0; i < n; i++) {
        std::cout << "2 * " << x[i] << " + 100 = " << y[i] << '\n';
    }
}

} // namespace

int main() {
    if (weft_number_of_devices(nullptr) == 0) {
        std::cout << "No compatible device found\n";
        return 0;
    }
    try {
        run();
    } catch (const std::exception &error) {
        std::cerr << "hello_cpp: " << error.what() << '\n';
        return 1;
    }
    return 0;
}
