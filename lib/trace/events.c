#include "trace/events.h"

#include <errno.h>
#include <time.h>

static uint64_t since_start(const event_sink *sink, uint64_t ns) {
    return ns > sink->began_ns ? ns - sink->began_ns : 0;
}

static void put_head(event_line *line, const char *phase, unsigned pid, unsigned tid) {
    line_printf(line, "{\"ph\":\"%s\",\"pid\":%u,\"tid\":%u", phase, pid, tid);
}

static void put_time(event_line *line, const event_sink *sink, const char *name, uint64_t ns) {
    line_printf(line, ",\"%s\":", name);
    line_us(line, since_start(sink, ns));
}

static void put_slice(event_line *line, const event_sink *sink, unsigned pid, unsigned tid, time_span span) {
    put_head(line, "X", pid, tid);
    put_time(line, sink, "ts", span.start);
    line_printf(line, ",\"dur\":");
    line_us(line, since_start(sink, span.end) - since_start(sink, span.start));
}

void event_about(event_sink *sink) {
    event_line line = {.length = 0};
    char started[32] = "";
    time_t now = time(NULL);
    struct tm utc;
    if (gmtime_r(&now, &utc)) {
        strftime(started, sizeof started, "%Y-%m-%dT%H:%M:%SZ", &utc);
    }
    line_printf(&line, "{\"ph\":\"M\",\"pid\":%u,\"name\":\"weft_trace\",\"args\":{", HOST_PID);
    line_printf(&line, "\"version\":\"%s\",\"format\":1,\"started\":\"%s\",\"program\":", weft_version(), started);
    line_string(&line, program_invocation_short_name);
    line_printf(&line, "}}");
    file_add(sink->file, &line);
}

void event_lane_name(event_sink *sink, const char *what, unsigned pid, unsigned tid, const char *name) {
    event_line line = {.length = 0};
    put_head(&line, "M", pid, tid);
    line_printf(&line, ",\"name\":\"%s\",\"args\":{\"name\":", what);
    line_string(&line, name);
    line_printf(&line, "}}");
    file_add(sink->file, &line);
}

void event_call(event_sink *sink, const trace_record *call) {
    event_line line = {.length = 0};
    put_slice(&line, sink, HOST_PID, call->thread, (time_span){call->start_ns, call->end_ns});
    line_printf(&line, ",\"cat\":\"call\",\"name\":\"%s\",", call->name);
    line_printf(&line, "\"args\":{\"status\":\"%s\"}}", weft_status_name(call->status));
    file_add(sink->file, &line);
}

void event_memory(event_sink *sink, unsigned pid, const trace_record *change) {
    event_line line = {.length = 0};
    line_printf(&line, "{\"ph\":\"C\",\"pid\":%u,\"name\":\"device memory\"", pid);
    put_time(&line, sink, "ts", change->end_ns);
    line_printf(&line, ",\"args\":{\"bytes\":%llu}}", (unsigned long long)change->bytes);
    file_add(sink->file, &line);
}

void event_lost(event_sink *sink, uint64_t events, uint64_t at_ns) {
    event_line line = {.length = 0};
    line_printf(&line, "{\"ph\":\"i\",\"s\":\"g\",\"pid\":%u,\"tid\":1,\"cat\":\"lost\",\"name\":\"%llu events lost\"", HOST_PID,
                (unsigned long long)events);
    put_time(&line, sink, "ts", at_ns);
    line_printf(&line, ",\"args\":{\"events\":%llu}}", (unsigned long long)events);
    file_add(sink->file, &line);
}

static void put_dim(event_line *line, const char *name, const uint64_t dim[3]) {
    line_printf(line, "\"%s\":[%llu,%llu,%llu],", name, (unsigned long long)dim[0], (unsigned long long)dim[1],
                (unsigned long long)dim[2]);
}

/* Bytes and how fast they moved: bytes a nanosecond are GB a second. */
static void put_moved(event_line *line, const trace_record *command, uint64_t run_ns) {
    line_printf(line, "\"bytes\":%llu", (unsigned long long)command->bytes);
    if (run_ns) {
        double thousandths = 1000.0 * (double)command->bytes / (double)run_ns + 0.5;
        line_printf(line, ",\"gb_per_s\":");
        line_us(line, (uint64_t)thousandths);
    }
}

static const char *copy_name(trace_kind kind) {
    return kind == TRACE_HOST_TO_DEVICE   ? "copy host to device"
           : kind == TRACE_DEVICE_TO_HOST ? "copy device to host"
                                          : "copy device to device";
}

static void put_command(event_line *line, const trace_record *command, uint64_t run_ns) {
    switch (command->kind) {
        case TRACE_KERNEL:
            line_printf(line, ",\"cat\":\"kernel\",\"name\":");
            line_string(line, command->kernel);
            line_printf(line, ",\"args\":{");
            put_dim(line, "grid", command->grid);
            put_dim(line, "block", command->block);
            line_printf(line, "\"buffer_bytes\":%llu", (unsigned long long)command->bytes);
            break;
        case TRACE_FILL:
            line_printf(line, ",\"cat\":\"fill\",\"name\":\"fill\",\"args\":{");
            put_moved(line, command, run_ns);
            line_printf(line, ",\"pattern_bytes\":%u", command->pattern_bytes);
            break;
        case TRACE_WAIT:
            line_printf(line, ",\"cat\":\"wait\",\"name\":\"wait for queue\",\"args\":{");
            break;
        default:
            line_printf(line, ",\"cat\":\"copy\",\"name\":\"%s\",\"args\":{", copy_name(command->kind));
            put_moved(line, command, run_ns);
            line_printf(line, "%s", command->pageable ? ",\"pageable\":true" : "");
    }
}

static void put_flow(event_sink *sink, const char *phase, unsigned pid, unsigned tid, uint64_t at_ns) {
    event_line line = {.length = 0};
    put_head(&line, phase, pid, tid);
    put_time(&line, sink, "ts", at_ns);
    line_printf(&line, ",\"id\":%llu,\"cat\":\"enqueue\",\"name\":\"enqueue\"}", (unsigned long long)sink->flows);
    file_add(sink->file, &line);
}

void event_command(event_sink *sink, unsigned pid, unsigned tid, const trace_record *command, time_span span, uint64_t run_ns,
                   bool failed) {
    event_line line = {.length = 0};
    put_slice(&line, sink, pid, tid, span);
    put_command(&line, command, run_ns);
    const char *mark = command->kind == TRACE_WAIT ? "\"failed\":true" : ",\"failed\":true";
    line_printf(&line, "%s}}", failed ? mark : "");
    file_add(sink->file, &line);
    sink->flows++;
    put_flow(sink, "s", HOST_PID, command->thread, command->start_ns);
    put_flow(sink, "f\",\"bp\":\"e", pid, tid, span.start);
}
