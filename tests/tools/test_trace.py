#!/usr/bin/env python3
"""Checks `weft trace report`: test_trace.py BUILD_DIR. Traces are made here, so that every figure is known."""
import json
import random
import re

from harness import expect, main, run, same

US = 1000  # nanoseconds


class Trace:
    """A trace as the library writes it: one event a line."""

    def __init__(self, queues=1, device="nvidia:0 NVIDIA H200"):
        self.lines, self.flows = [], 0
        self.add(ph="M", pid=1, name="process_name", args={"name": "host"})
        self.add(ph="M", pid=1, name="weft_trace",
                 args={"version": "0.1.0", "format": 1, "started": "2026-11-30T12:00:00Z", "program": "a.out"})
        self.add(ph="M", pid=1, tid=1, name="thread_name", args={"name": "main thread"})
        self.add(ph="M", pid=2, name="process_name", args={"name": device})
        for queue in range(queues):
            self.add(ph="M", pid=2, tid=queue + 1, name="thread_name", args={"name": f"queue {queue + 1}"})

    def add(self, **event):
        self.lines.append(json.dumps(event))

    def call(self, start_us, length_us, name, status="WEFT_OK"):
        self.add(ph="X", pid=1, tid=1, ts=start_us, dur=length_us, cat="call", name=name, args={"status": status})

    def command(self, start_us, length_us, category, name, queue=1, enqueued_us=None, **args):
        self.add(ph="X", pid=2, tid=queue, ts=start_us, dur=length_us, cat=category, name=name, args=args)
        if enqueued_us is not None:
            self.flows += 1
            self.add(ph="s", pid=1, tid=1, ts=enqueued_us, id=self.flows, cat="enqueue", name="enqueue")
            self.add(ph="f", bp="e", pid=2, tid=queue, ts=start_us, id=self.flows, cat="enqueue", name="enqueue")

    def kernel(self, start_us, length_us, name="add", block=128, grid=16, buffer_bytes=1 << 20, **more):
        self.command(start_us, length_us, "kernel", name, grid=[grid, 1, 1], block=[block, 1, 1], buffer_bytes=buffer_bytes, **more)

    def copy(self, start_us, length_us, kind="host to device", size=1 << 20, **more):
        self.command(start_us, length_us, "copy", f"copy {kind}", bytes=size, **more)

    def text(self):
        return "[\n" + ",\n".join(self.lines) + "\n]\n"


def weft(build, *arguments, cwd=None):
    return run(build / "tools/weft", "trace", *arguments, cwd=cwd)


def report(build, scratch, name, text, *options):
    path = scratch / f"{name}.json"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return weft(build, "report", path.name, *options, cwd=scratch)


def good(build, scratch, name, trace):
    done = report(build, scratch, name, trace.text())
    same((done.returncode, done.stderr), (0, ""))
    return done.stdout


def data_of(page):
    """What the page's script draws."""
    return json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.S).group(1))


def table(text, title):
    """The rows below a title, each as its words."""
    lines = text.split(f"\n{title}", 1)[1].split("\n\n")[0].splitlines()
    return [re.split(r"  +", line) for line in lines[2:]]


def check_sums(build, scratch):
    trace = Trace()
    for i in range(4):
        trace.kernel(1000 * i, 10 + i, "add", buffer_bytes=1000000)
    trace.kernel(5000, 100, "scale", failed=True)
    trace.copy(6000, 1000, size=10_000_000)
    trace.copy(7000, 1000, size=2_000_000, pageable=True)
    trace.copy(8000, 500, "device to host", size=4_000_000)
    trace.call(0, 20, "weft_enqueue_function")
    trace.call(30, 40, "weft_enqueue_function", status="WEFT_ERROR_DRIVER")
    text = good(build, scratch, "sums", trace)
    busy = 46 + 100 + 2500
    same(table(text, "Functions"), [
        ["scale", "1", "100 us", "100 us", "100 us", "100 us", f"{100 * 100 / busy:.1f} %", "1"],
        ["add", "4", "46 us", "11.5 us", "10 us", "13 us", f"{100 * 46 / busy:.1f} %", "87.0 GB/s", "0"]])
    same([[row[0], row[1], row[2], row[5]] for row in table(text, "Copies and fills")], [
        ["host to device, pinned", "1", "1 ms", "10 GB/s"], ["host to device, pageable", "1", "1 ms", "2 GB/s"],
        ["device to host, pinned", "1", "500 us", "8 GB/s"]])
    same(table(text, "Host calls"), [["weft_enqueue_function", "2", "60 us", "30 us", "20 us", "40 us", "1"]])
    expect("Length: 8.50 ms" in text and "Program: a.out" in text, text)


def check_gaps(build, scratch):
    trace = Trace(queues=2)
    trace.kernel(0, 100)
    trace.kernel(1100, 100)
    trace.kernel(1300, 700)
    trace.kernel(50, 10, queue=2)
    trace.call(150, 900, "weft_compile_program")
    text = good(build, scratch, "gaps", trace)
    same([row[2:] for row in table(text, "Longest idle gaps")], [["1 ms", "weft_compile_program"], ["100 us", "in no call of weft"]])
    same([row[1:] for row in table(text, "Queues")], [["3", "2 ms", "900 us", "1.10 ms", "55.0 %"],
                                                     ["1", "10 us", "10 us", "0 ns", "0.0 %"]])


def findings(text):
    return text.split("What would help most\n")[1].split("\n\n")[0].splitlines() if "What would help most" in text else []


def check_nothing_to_find(build, scratch):
    trace = Trace()
    for i in range(100):
        trace.kernel(1000 * i, 990, buffer_bytes=1 << 30)
    same(findings(good(build, scratch, "fine", trace)), [])


def check_findings(build, scratch):
    """Each trace has one fault, and the report names it first, with its figures."""
    waits, short, pageable, blocks, small, compiles, slow, grows = (Trace() for _ in range(8))
    serial = Trace(queues=2)
    for i in range(50):
        waits.call(1000 * i, 10, "weft_enqueue_function")
        waits.call(1000 * i + 10, 800, "weft_synchronize")
        waits.kernel(1000 * i + 20, 100)
    for i in range(200):
        short.kernel(20 * i, 2, buffer_bytes=0)
        blocks.kernel(1000 * i, 999, "narrow", block=20)
        small.copy(10 * i, 9, size=4096)
    small.copy(3000, 100, size=4_000_000)
    for i in range(10):
        pageable.copy(2000 * i, 1000, size=1 << 23, pageable=True)
        pageable.copy(2000 * i + 1000, 250, size=1 << 23)
        compiles.call(3000 * i, 1000, "weft_compile_function")
        compiles.kernel(3000 * i + 1000, 1990)
        slow.kernel(3000 * i, 2900, "slow", buffer_bytes=29_000_000)
        slow.copy(3000 * i + 2900, 100, "device to device", size=100_000_000)
        serial.copy(2000 * i, 400, size=40_000_000)
        serial.kernel(2000 * i + 400, 1590, queue=2, buffer_bytes=1 << 30)
    for i in range(32):
        grows.kernel(1000 * i, 990, buffer_bytes=1 << 30)
        grows.add(ph="C", pid=2, name="device memory", ts=1000.0 * i, args={"bytes": (i + 1 + i % 2) << 20})
    first = {name: findings(good(build, scratch, name, trace))[:1]
             for name, trace in {"waits": waits, "short": short, "pageable": pageable, "blocks": blocks, "small": small,
                                 "compiles": compiles, "slow": slow, "grows": grows, "serial": serial}.items()}
    for name, words in {"waits": ["50 of 50 synchronizing calls", "enqueue more before each wait"],
                        "short": ["199 kernels run for only 2 us", "one graph"],
                        "pageable": ["10 copies host to device use pageable memory and move 80 MiB", "8.39 GB/s", "33.6 GB/s"],
                        "blocks": ["narrow runs 200 times", "20x1x1"],
                        "compiles": ["10 compile calls take 10 ms, 33.3 %", "saves at most 9 ms"],
                        "slow": ["slow takes 29 ms, 96.7 %", "at most 10 GB/s", "best copy has 1 TB/s", "saves at most 28.7 ms"],
                        "grows": ["device memory of nvidia:0 NVIDIA H200 grows", "is 1 MiB", "and 25 MiB"],
                        "serial": ["2 queues", "4 ms in all", "15.9 ms", "saves at most 4 ms"],
                        "small": ["200 copies host to device of 4 KiB", "one copy"]}.items():
        expect(first[name] and all(word in first[name][0] for word in words), f"{name}: {first[name]}")


def check_idle_device(build, scratch):
    """A queue with nothing to do loses no time while the device's other queue works."""
    trace = Trace(queues=2)
    for i in range(50):
        trace.call(1000 * i, 10, "weft_enqueue_function")
        trace.call(1000 * i + 10, 980, "weft_synchronize")
        trace.kernel(1000 * i + 10, 970)
        trace.kernel(1000 * i + 10, 5, queue=2)
    same(findings(good(build, scratch, "idle", trace)), [])


def check_gaps_of_each_queue(build, scratch):
    trace = Trace(queues=2)
    for i in range(10):
        trace.kernel(10000 * i, 100 + i)
        trace.kernel(100 * i, 50 + i, queue=2)
    trace.command(100000, 5000, "wait", "wait for queue", queue=2)
    trace.kernel(106000, 10, queue=2)
    rows = table(good(build, scratch, "each", trace), "Longest idle gaps")
    device = "nvidia:0 NVIDIA H200, "
    same([(row[0], row[2]) for row in rows],
         [(device + "queue 2", f"{(106000 - 959) / 1000:.0f} ms")]
         + [(device + "queue 1", f"{(10000 - 100 - i) / 1000:.2f} ms") for i in range(5)]
         + [(device + "queue 2", f"{50 - i} us") for i in range(4)])
    trace.command(950 + 9, 100000, "wait", "wait for queue", queue=2)
    rows = table(good(build, scratch, "waits", trace), "Longest idle gaps")
    same(rows[0][3], "the queue itself waits for another or an event")


def gaps_of(spans):
    """Between the first and the last, where none is."""
    found, end = [], None
    for start, length in sorted(spans):
        if end is not None and start > end:
            found.append(start - end)
        end = start + length if end is None else max(end, start + length)
    return sorted(found, reverse=True)


def check_random(build, scratch):
    """Sums and gaps against Python's own, to the nanosecond."""
    numbers = random.Random(5)
    trace, kernels, copies, calls, spans = Trace(queues=3), {}, {}, {}, {1: [], 2: [], 3: []}
    for _ in range(3000):
        start, length, queue = numbers.randrange(10 ** 8), numbers.randrange(20000), numbers.randrange(1, 4)
        what = numbers.randrange(3)
        if what == 0:
            name = f"kernel {numbers.randrange(20)}"
            trace.kernel(start / 1000, length / 1000, name, queue=queue)
            kernels.setdefault(name, []).append(length)
        elif what == 1:
            kind, size = numbers.choice(["host to device", "device to host", "device to device"]), numbers.randrange(1 << 30)
            pageable = kind != "device to device" and numbers.randrange(2) == 1
            trace.copy(start / 1000, length / 1000, kind, size=size, queue=queue, **({"pageable": True} if pageable else {}))
            shown = kind if kind == "device to device" else kind + (", pageable" if pageable else ", pinned")
            copies.setdefault(shown, []).append((length, size))
        else:
            name = f"weft_call_{numbers.randrange(10)}"
            trace.call(start / 1000, length / 1000, name)
            calls.setdefault(name, []).append(length)
        if what < 2:
            spans[queue].append((start, length))
    report(build, scratch, "random", trace.text(), "-o", "random.html")
    tables = {each["title"]: {row[0][0]: row[1] for row in each["rows"]} for each in
              data_of((scratch / "random.html").read_text())["tables"]}
    for title, expected in ("Functions", kernels), ("Host calls", calls):
        same({name: values[1:6] for name, values in tables[title].items()},
             {name: [len(all_), sum(all_), float(f"{sum(all_) / len(all_):.9g}"), min(all_), max(all_)]
              for name, all_ in expected.items()}, title)
    same({name: [values[1], values[2], values[4]] for name, values in tables["Copies and fills"].items()},
         {name: [len(all_), sum(length for length, _ in all_), float(f"{sum(size for _, size in all_):.9g}")]
          for name, all_ in copies.items()})
    same({name[-7:]: values[1:5] for name, values in tables["Queues"].items()},
         {f"queue {queue}": [len(all_), span_of(all_), span_of(all_) - sum(gaps_of(all_)), sum(gaps_of(all_))]
          for queue, all_ in spans.items()})
    gaps = [row for each in data_of((scratch / "random.html").read_text())["tables"] if each["title"] == "Longest idle gaps"
            for row in each["rows"]]
    for queue, all_ in spans.items():
        same([row[1][2] for row in gaps if row[0][0].endswith(f"queue {queue}")], gaps_of(all_)[:5])


def span_of(spans):
    return max(start + length for start, length in spans) - min(start for start, _ in spans)


def check_page(build, scratch):
    trace = Trace()
    names = ["plain", "</script><b>&\"'", "\u00e4\u6f22\U0001f600"]
    for i, name in enumerate(names):
        trace.call(100 * i, 50, "weft_enqueue_function")
        trace.kernel(100 * i + 60, 20, name, enqueued_us=100 * i + 10)
    trace.add(ph="C", pid=2, name="device memory", ts=1.0, args={"bytes": 4096})
    done = report(build, scratch, "page", trace.text(), "-o", "page.html")
    same((done.returncode, done.stdout, done.stderr), (0, "", ""))
    page = (scratch / "page.html").read_text()
    same(page.count("</script>"), 2, "ends of scripts")
    expect("http" not in page.replace("http-equiv", ""), "the page refers to something outside")
    data = data_of(page)
    host, queue = data["lanes"]
    same([data["names"][name] for name in queue["text"]], names)
    same((queue["start"], queue["duration"]), ([60 * US, 100 * US, 100 * US], [20 * US] * 3), "starts, as distances")
    same((queue["callLane"], queue["call"]), ([0] * 3, [0, 1, 2]), "calls of the commands")
    same(data["shapes"], [[[16, 1, 1], [128, 1, 1]]])
    same(data["counters"][0]["samples"], [[US, 4096]])
    same(len(host["start"]), 3)
    again = report(build, scratch, "page", trace.text(), "-o", "again.html")
    same(again.returncode, 0)
    same((scratch / "again.html").read_text(), page)


def check_cut_off(build, scratch):
    trace = Trace()
    for i in range(10):
        trace.kernel(100 * i, 50, "\u00e4")
    whole = trace.text().encode()
    for cut in [len(whole) - 3, len(whole) - 30, whole.rindex(b"}")]:
        done = report(build, scratch, "cut", whole[:cut])
        same((done.returncode, done.stderr), (0, ""))
        expect("was cut off" in done.stdout, done.stdout)
    same(table(report(build, scratch, "cut", whole[:-30]).stdout, "Functions")[0][1], "9")


def check_refused(build, scratch):
    (scratch / "folder.json").mkdir()
    for name, text, says in [("empty", "", "does not begin with ["), ("text", "hello\n", "does not begin with ["),
                             ("object", "{}", "does not begin with ["), ("list", "[1, 2, 3]\n", "holds no events"),
                             ("other", '[\n{"ph":"X","pid":1,"tid":1,"ts":1,"dur":1,"name":"x"}\n]\n', "no weft_trace line"),
                             ("later", Trace().text().replace('"format": 1', '"format": 2'), "later format")]:
        done = report(build, scratch, name, text)
        expect(done.returncode == 1 and says in done.stderr and done.stderr.count("\n") == 1, f"{name}: {done}")
    for arguments, status, says in [(["report", "missing.json"], 1, "No such file"), (["report", "folder.json"], 1, "directory"),
                                    ([], 2, "WEFT_TRACE"), (["report"], 2, "WEFT_TRACE"), (["show", "a.json"], 2, "WEFT_TRACE"),
                                    (["report", "a.json", "b.json"], 2, "WEFT_TRACE")]:
        done = weft(build, *arguments, cwd=scratch)
        expect(done.returncode == status and says in done.stderr, f"{arguments}: {done}")
    done = report(build, scratch, "kept", Trace().text(), "-o", "./kept.json")
    expect(done.returncode == 1 and "is the trace itself" in done.stderr, str(done))
    same((scratch / "kept.json").read_text(), Trace().text())
    done = weft(build, "--help")
    expect(done.returncode == 0 and "WEFT_TRACE=run.json" in done.stdout and not done.stderr, str(done))
    done = report(build, scratch, "whole", Trace().text(), "-o", "no/such/page.html")
    expect(done.returncode == 1 and "no/such/page.html: No such file" in done.stderr, str(done))
    done = report(build, scratch, "whole", Trace().text(), "-o", "/dev/full")
    expect(done.returncode == 1 and "/dev/full: No space left" in done.stderr, str(done))


def check_strange(build, scratch):
    """What is no event is left out and counted; nothing crashes."""
    trace = Trace()
    trace.kernel(0, 10)
    for line in ['{"ph":"X","pid":2,"tid":1,"ts":5,"dur":-1,"name":"x"}', '{"ph":"X","pid":2,"tid":1,"ts":"a","dur":1,"name":"x"}',
                 '{"ph":"X","ts":5,"dur":1,"name":"x"}', '{"ph":"X","pid":2,"tid":1,"ts":1e300,"dur":1,"name":"x"}', "17", '{"ph":7}']:
        trace.lines.append(line)
    trace.kernel(20, 10)
    text = good(build, scratch, "strange", trace)
    same(table(text, "Functions")[0][:3], ["add", "2", "20 us"])
    expect("6 lines of the file are no events" in text, text)
    same(good(build, scratch, "none", Trace()).count("\n\n"), 0)


def check_lost(build, scratch):
    """What the writer had no room for is told."""
    trace = Trace()
    trace.kernel(0, 10, "\x1b[2Jname\n")
    for count in (3, 4):
        trace.add(ph="i", s="g", pid=1, tid=1, cat="lost", name=f"{count} events lost", ts=1.0, args={"events": count})
    text = good(build, scratch, "lost", trace)
    expect("7 events were lost" in text and "\x1b" not in text, text)
    same(table(text, "Functions")[0][0], "?[2Jname?")


def check_mutations(build, scratch):
    trace = Trace(queues=2)
    for i in range(20):
        trace.call(100 * i, 50, "weft_enqueue_function")
        trace.kernel(100 * i + 60, 20, queue=i % 2 + 1, enqueued_us=100 * i + 10)
    whole, numbers = trace.text().encode(), random.Random(1)
    for round_ in range(150):
        text = bytearray(whole)
        for _ in range(numbers.randrange(1, 8)):
            at = numbers.randrange(len(text))
            text[at:at + numbers.randrange(3)] = bytes(numbers.choice(b'{}[],:"0-9eE.\\n\xff\x00') for _ in range(numbers.randrange(3)))
        for options in ([], ["-o", "mutated.html"]):
            done = report(build, scratch, "mutated", bytes(text), *options)
            expect(done.returncode in (0, 1), f"round {round_}: exit status {done.returncode}\n{done.stderr}")


def check_large(build, scratch):
    trace = Trace(queues=300)
    for i in range(100_000):
        trace.kernel(2 * i, 1, f"kernel_{i % 50}", queue=i % 300 + 1)
    done = report(build, scratch, "large", trace.text(), "-o", "large.html")
    same((done.returncode, done.stderr), (0, ""))
    data = data_of((scratch / "large.html").read_text())
    same((len(data["lanes"]), sum(len(lane["start"]) for lane in data["lanes"]), data["leftOut"]), (301, 100_000, 0))
    text = report(build, scratch, "large", trace.text()).stdout
    expect("and 260 more" in text and text.count("\n") < 250, f"{text.count(chr(10))} lines")


def check_many_events(build, scratch):
    """The page keeps the longest 300000, in order; tables have all."""
    trace = Trace()
    trace.call(0, 1000, "weft_enqueue_function")
    trace.kernel(20, 5, "known", enqueued_us=10)
    head = trace.text().rstrip("\n]") + ",\n"
    line = '{"ph":"X","pid":2,"tid":1,"ts":%d,"dur":%d,"cat":"kernel","name":"k"}'
    text = head + ",\n".join(line % (100 + 5 * i, 2 + i % 3) for i in range(360_000)) + "\n]\n"
    done = report(build, scratch, "many", text, "-o", "many.html")
    same((done.returncode, done.stderr), (0, ""))
    data = data_of((scratch / "many.html").read_text())
    host, queue = data["lanes"]
    # All of 3, 4 and 5 us, the call, and the first of those of 2 us.
    same((data["leftOut"], len(host["start"]), len(queue["start"])), (60_002, 1, 299_999))
    same([queue["duration"].count(length * US) for length in (2, 3, 4, 5)], [299_998 - 240_000, 120_000, 120_000, 1])
    same((queue["call"][0], sum(queue["start"])), (0, (100 + 5 * 359_999) * US))
    same(data["tables"][0]["rows"][0][0][1], "360000")


def checks(build, _drivers, scratch):
    return [(name[6:].replace("_", " "), function, build, scratch) for name, function in sorted(globals().items())
            if name.startswith("check_")]


if __name__ == "__main__":
    main(checks)
