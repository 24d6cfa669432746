#!/usr/bin/env python3
"""Checks `weft doctor`: test_doctor.py BUILD_DIR. Drivers that crash, hang, exit or are none are built here."""
import json
import os
import shutil
import time
from pathlib import Path

from harness import HERE, Skip, expect, main, run, same, succeed

LIMIT_S = 2  # for what hangs
LONG_S = 120  # for what works


def environment(drivers, vendors):
    return drivers.environment("pocl") | {"OCL_ICD_VENDORS": str(vendors)}


def doctor(build, env, *arguments, limit_s=LONG_S):
    return run(build / "tools/weft", "doctor", "--timeout", limit_s, *arguments, env=env)


def report_of(build, env, status, limit_s=LONG_S):
    done = doctor(build, env, "--json", limit_s=limit_s)
    same((done.returncode, done.stderr), (status, ""), "exit status and standard error")
    report = json.loads(done.stdout)
    same(report["works"], status == 0)
    return report


def vendors(scratch, name, **files):
    """A folder of .icd files, by the text of each."""
    folder = scratch / f"icd-{name}"
    folder.mkdir()
    for file, text in files.items():
        (folder / f"{file}.icd").write_text(text)
    return folder


def build_broken(scratch, how):
    library = scratch / f"lib{how}.so"
    succeed("gcc", "-shared", "-fPIC", "-D_GNU_SOURCE", f'-DBROKEN="{how}"', HERE / "broken_driver.c", "-o", library)
    return library


def processes_with(library):
    """Processes that have the library loaded."""
    found = []
    for maps in Path("/proc").glob("[0-9]*/maps"):
        try:
            if str(library) in maps.read_text():
                found.append(maps.parent.name)
        except OSError:
            pass
    return found


# ---- Drivers that work ----------------------------------------------------------------------------------------

def check_works(build, drivers, scratch, name):
    report = report_of(build, drivers.environment(name), 0)
    driver, = report["drivers"]
    same((driver["file"], driver["library"], driver["problem"]), (f"{name}.icd", drivers.libraries[name], None))
    device = driver["devices"][0]
    same((device["device"], device["problem"]), (f"{name}:0", None))
    same((report["together"]["default"], report["together"]["problem"]), (f"{name}:0", None))
    same(report["vendors"], {"path": drivers.environment(name)["OCL_ICD_VENDORS"], "from": "OCL_ICD_VENDORS", "problem": None})


def check_text(build, drivers, scratch):
    env = drivers.environment("pocl") | {"WEFT_DEVICE": "pocl:0", "CUDA_VISIBLE_DEVICES": "3"}
    done = doctor(build, env)
    same((done.returncode, done.stderr), (0, ""))
    lines = done.stdout.splitlines()
    same(lines[1], f"drivers registered in {env['OCL_ICD_VENDORS']}, set by OCL_ICD_VENDORS")
    same(lines[2], f"  pocl.icd: {drivers.libraries['pocl']}")
    expect(lines[3].startswith("    pocl:0 (") and lines[3].endswith("): works"), lines[3])
    same(lines[4], "programs see pocl:0; by default they use pocl:0")
    same(lines[-1], "weft works here")
    for line in ("  WEFT_DEVICE=pocl:0", "  CUDA_VISIBLE_DEVICES=3", "  POCL_DEVICES=pthread"):
        expect(line in lines, f"no line {line}: {done.stdout}")


def check_named(build, drivers, scratch):
    """OCL_ICD_VENDORS may be an .icd file or a library."""
    library = drivers.libraries["pocl"]
    folder = vendors(scratch, "named", mine=library + "\n", other="nothing.so\n")
    for value, file in [(folder / "mine.icd", "mine.icd"), (library, None)]:
        driver, = report_of(build, environment(drivers, value), 0)["drivers"]
        same((driver["file"], driver["library"], driver["devices"][0]["problem"]), (file, library, None))


# ---- Drivers that do not ----------------------------------------------------------------------------------------

BROKEN = {
    "load-crash": "crashes (Segmentation fault) when it is loaded",
    "load-abort": "crashes (Aborted); it printed: assertion of the driver failed when it is loaded",
    "load-exit": "ends the process (exit status 0) when it is loaded",
    "load-hang": f"hangs: no answer in {LIMIT_S} s when it is loaded",
    "load-silent": f"hangs: no answer in {LIMIT_S} s when it is loaded",
    "load-child": "crashes (Segmentation fault) when it is loaded",
    "ask-crash": "crashes (Segmentation fault) when it is asked for its devices",
    "ask-abort": "crashes (Aborted); it printed: assertion of the driver failed when it is asked for its devices",
    "ask-exit": "ends the process (exit status 0) when it is asked for its devices",
    "ask-hang": f"hangs: no answer in {LIMIT_S} s when it is asked for its devices",
    "none": "loads, but offers no platform",
}


def check_broken(build, drivers, scratch, how):
    library = build_broken(scratch, how)
    folder = vendors(scratch, how, broken=f"{library}\n")
    # exit() inside a driver's call waits some seconds for that call.
    report = report_of(build, environment(drivers, folder), 1, LIMIT_S if how.endswith(("hang", "silent")) else LONG_S)
    driver, = report["drivers"]
    same((driver["library"], driver["problem"], driver["devices"]), (str(library), BROKEN[how], []))
    expect(report["together"]["problem"], report)
    same(report["together"]["devices"], [])
    expect("for any CPU: apt install pocl-opencl-icd" in report["advice"], report["advice"])
    deadline = time.monotonic() + 10  # the dead take a moment to go
    while processes_with(library) and time.monotonic() < deadline:
        time.sleep(0.05)
    same(processes_with(library), [], "what is left running")


def elf_header(path, **fields):
    """A copy of a real library's start with bytes changed."""
    data = bytearray(Path(path).read_bytes()[:fields.pop("length")])
    for offset, value in fields.values():
        data[offset] = value
    return bytes(data)


def check_no_library(build, drivers, scratch):
    """What is no library, with the dynamic linker's own words."""
    real = drivers.libraries["pocl"]
    real = real if real.startswith("/") else next(str(path) for path in Path("/usr/lib").rglob("libpocl.so*"))
    (scratch / "text.so").write_text("this is a text, longer than an ELF header: " + "x" * 100)
    (scratch / "short.so").write_bytes(b"")
    (scratch / "truncated.so").write_bytes(elf_header(real, length=5000))
    (scratch / "bits32.so").write_bytes(elf_header(real, length=100000, bits=(4, 1)))
    wanted = {"text": "invalid ELF header", "short": "file too short", "truncated": "", "bits32": "wrong ELF class: ELFCLASS32",
              "absent": "cannot open shared object file"}
    folder = vendors(scratch, "no-library", **{name: f"{scratch}/{name}.so\n" for name in wanted})
    report = report_of(build, environment(drivers, folder), 1)
    same([driver["file"] for driver in report["drivers"]], sorted(f"{name}.icd" for name in wanted))
    for driver in report["drivers"]:
        expect(driver["problem"].startswith("does not load: ") or driver["file"] == "truncated.icd", driver)
        expect(wanted[driver["file"][:-4]] in driver["problem"], driver)
        same(driver["devices"], [])
    expect(any("bits32.icd names a library of another word size" in line for line in report["advice"]), report["advice"])


def check_no_driver(build, drivers, scratch):
    folder = vendors(scratch, "no-driver", libm="libm.so.6\n", empty="", dos="libpocl.so.2\r\n", blank="\n")
    (folder / "folder.icd").mkdir()
    (folder / "ignored.txt").write_text("libpocl.so.2\n")
    report = report_of(build, environment(drivers, folder), 1)
    problems = {driver["file"]: driver["problem"] for driver in report["drivers"]}
    same(sorted(problems), ["blank.icd", "dos.icd", "empty.icd", "folder.icd", "libm.icd"])
    same(problems["libm.icd"], "loads, but is no OpenCL driver: it lacks clGetExtensionFunctionAddress")
    same(problems["empty.icd"], "is empty: it should name a library")
    same(problems["blank.icd"], "is empty: it should name a library")
    same(problems["folder.icd"], "Is a directory")
    expect("DOS" in problems["dos.icd"], problems)


def check_no_vendors(build, drivers, scratch):
    for name, problem in [("nowhere", None), ("nothing", "holds no .icd file")]:
        folder = scratch / f"icd-{name}"
        if problem:
            folder.mkdir()
        env = {key: value for key, value in environment(drivers, folder).items() if key != "OCL_ICD_VENDORS"}
        report = report_of(build, env | {"OPENCL_VENDOR_PATH": str(folder)}, 1)
        same(report["vendors"], {"path": str(folder), "from": "OPENCL_VENDOR_PATH",
                                 "problem": problem or "cannot be read: No such file or directory"})
        same(report["drivers"], [])
        same(report["advice"][-1], "for any CPU: apt install pocl-opencl-icd")


def check_packages(build, drivers, scratch):
    folder = vendors(scratch, "packages", pocl="libpocl.so.99\n", nv="libnvidia-opencl.so.99\n")
    report = report_of(build, environment(drivers, folder), 1)
    for line in ("pocl.icd names libpocl.so.99: apt install pocl-opencl-icd",
                 "nv.icd names libnvidia-opencl.so.99: apt install nvidia-opencl-icd"):
        expect(line in report["advice"], report["advice"])


# ---- Beside one that works ------------------------------------------------------------------------------------------

def check_beside(build, drivers, scratch, how, status):
    """One that is only absent harms nobody; one that crashes takes every program with it, and that is said."""
    library = build_broken(scratch, f"load-{how}") if how != "absent" else scratch / "absent.so"
    renamed = scratch / f"beside-{how}.so"
    if how != "absent":
        shutil.copy(library, renamed)
    folder = vendors(scratch, f"beside-{how}", broken=f"{renamed}\n", pocl=drivers.libraries["pocl"] + "\n")
    report = report_of(build, environment(drivers, folder), status)
    broken, pocl = report["drivers"]
    expect(broken["problem"] and not broken["devices"], broken)
    same((pocl["problem"], pocl["devices"][0]["device"], pocl["devices"][0]["problem"]), (None, "pocl:0", None))
    together = [line for line in report["advice"] if "do not work together" in line]
    same(bool(report["together"]["problem"]), status == 1)
    same(len(together), status)


def check_environment_device(build, drivers, scratch):
    report = report_of(build, drivers.environment("pocl") | {"WEFT_DEVICE": "nvidia:3"}, 1)
    expect("WEFT_DEVICE=nvidia:3" in report["together"]["problem"], report["together"])
    same(report["advice"], ["WEFT_DEVICE names no device that is there: change it or leave it out"])
    same(report["drivers"][0]["devices"][0]["problem"], None)


def check_rusticl(build, drivers, scratch):
    """Which offers nothing unless asked."""
    env = {key: value for key, value in drivers.environment("rusticl").items() if key != "RUSTICL_ENABLE"}
    report = report_of(build, env, 1)
    same(report["drivers"][0]["problem"], "loads, and its platform rusticl offers no usable device")
    expect(any("RUSTICL_ENABLE" in line for line in report["advice"]), report["advice"])


def check_layers(build, drivers, scratch):
    crash = shutil.copy(build_broken(scratch, "load-abort"), scratch / "layer.so")
    env = drivers.environment("pocl") | {"OPENCL_LAYERS": f"/none/layer.so:libm.so.6:{crash}"}
    layers = report_of(build, env, 1)["layers"]
    same([layer["file"] for layer in layers], ["/none/layer.so", "libm.so.6", str(crash)])
    expect("cannot open shared object file" in layers[0]["problem"], layers)
    same(layers[1]["problem"], "loads, but is no layer: it lacks clInitLayer")
    expect(layers[2]["problem"].startswith("crashes (Aborted)"), layers)


# ---- The machine ----------------------------------------------------------------------------------------------------

def check_device_files(build, drivers, scratch):
    """A render node that only its group may use, seen by nobody, who is not in it."""
    script = """set -e
mount -t tmpfs none /dev
mkdir /dev/dri
mknod -m 666 /dev/null c 1 3
mknod -m 660 /dev/dri/renderD128 c 226 128
mknod -m 666 /dev/dri/card0 c 226 0
chgrp video /dev/dri/renderD128
exec setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
"""
    if os.geteuid() or run("unshare", "-m", "true").returncode:
        raise Skip("mounting over /dev needs root and mount namespaces")
    tool = build / "tools/weft"
    env = environment(drivers, scratch / "icd-device-files")
    if run("setpriv", "--reuid=65534", "--clear-groups", tool, "--version", env=env).returncode:
        raise Skip("another user cannot run the build")
    vendors(scratch, "device-files")
    done = run("unshare", "-m", "sh", "-c", script, "sh", tool, "doctor", "--json", env=env)
    same((done.returncode, done.stderr), (1, ""))
    report = json.loads(done.stdout)
    same(report["device_files"], [
        {"file": "/dev/dri/card0", "mode": "0666", "owner": "root", "group": "root", "usable": True},
        {"file": "/dev/dri/renderD128", "mode": "0660", "owner": "root", "group": "video", "usable": False}])
    same((report["user"]["name"], report["user"]["groups"]["video"]), ("nobody", False))
    expect("/dev/dri/renderD128 is for group video: usermod -aG video nobody, and log in again" in report["advice"], report["advice"])


def check_usage(build, drivers, arguments, said):
    done = run(build / "tools/weft", "doctor", *arguments, env=drivers.environment("pocl"))
    same((done.returncode, done.stdout), (2, ""))
    expect(said in done.stderr and "usage: weft doctor" in done.stderr, done.stderr)


def checks(build, drivers, scratch):
    for name in ("pocl", "rusticl", "oclgrind"):
        yield f"finds {name} at work", check_works, build, drivers, scratch, name
    yield "prints what it finds", check_text, build, drivers, scratch
    yield "follows OCL_ICD_VENDORS to a file", check_named, build, drivers, scratch
    for how in BROKEN:
        yield f"survives a driver: {how}", check_broken, build, drivers, scratch, how
    yield "says why a file is no library", check_no_library, build, drivers, scratch
    yield "says why a library is no driver", check_no_driver, build, drivers, scratch
    yield "says that there is no folder", check_no_vendors, build, drivers, scratch
    yield "names packages", check_packages, build, drivers, scratch
    yield "an absent driver harms no other", check_beside, build, drivers, scratch, "absent", 0
    yield "a crashing driver harms all", check_beside, build, drivers, scratch, "crash", 1
    yield "sees that WEFT_DEVICE is wrong", check_environment_device, build, drivers, scratch
    yield "knows how to wake rusticl", check_rusticl, build, drivers, scratch
    yield "looks at layers", check_layers, build, drivers, scratch
    yield "looks at device files", check_device_files, build, drivers, scratch
    for arguments, said in [(["x"], 'what is "x"?'), (["--none"], "--none"), (["--timeout", "0"], "--timeout is seconds"),
                            (["--timeout", "1x"], "1x")]:
        yield f"refuses {' '.join(arguments)}", check_usage, build, drivers, arguments, said


if __name__ == "__main__":
    main(checks)
