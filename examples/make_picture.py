#!/usr/bin/env python3
"""Draws picture.png, a lake between hills at sunset: make_picture.py [OUT.png]

Everything comes from value noise and a few formulas, with the standard library alone, so the picture is free
to use and can be made again. Takes about half a minute.
"""
import math
import os
import struct
import sys
import zlib

WIDTH, HEIGHT = 640, 427
HORIZON = 262           # the row where the lake meets the land
SUN_X, SUN_Y = 432, 196


# ---- Noise ------------------------------------------------------------------------------------------

def lattice(x, y, seed):
    """A number from 0 to 1 for a point with whole coordinates."""
    h = (x * 374761393 + y * 668265263 + seed * 1442695041) & 0xFFFFFFFF
    h = ((h ^ (h >> 13)) * 1274126177) & 0xFFFFFFFF
    h = ((h ^ (h >> 16)) * 2246822519) & 0xFFFFFFFF
    return (h ^ (h >> 15)) / 0xFFFFFFFF


def noise(x, y, seed):
    """Smooth noise from 0 to 1 with features of size 1."""
    ix, iy = math.floor(x), math.floor(y)
    fx, fy = x - ix, y - iy
    fx, fy = fx * fx * (3 - 2 * fx), fy * fy * (3 - 2 * fy)
    top = mix(lattice(ix, iy, seed), lattice(ix + 1, iy, seed), fx)
    bottom = mix(lattice(ix, iy + 1, seed), lattice(ix + 1, iy + 1, seed), fx)
    return mix(top, bottom, fy)


def fractal(x, y, seed, octaves):
    """Noise with detail: each octave is twice as fine and half as strong."""
    total, weight, sum_of_weights = 0.0, 1.0, 0.0
    for octave in range(octaves):
        total += weight * noise(x, y, seed + octave)
        sum_of_weights += weight
        x, y, weight = 2.03 * x + 17.1, 2.03 * y + 5.3, weight * 0.5
    return total / sum_of_weights


# ---- Small helpers ----------------------------------------------------------------------------------

def mix(a, b, t):
    return a + (b - a) * t


def mix_colour(a, b, t):
    return tuple(mix(p, q, t) for p, q in zip(a, b))


def smooth(low, high, value):
    t = min(max((value - low) / (high - low), 0.0), 1.0)
    return t * t * (3 - 2 * t)


def gradient(stops, t):
    """The colour at t between (position, colour) stops."""
    for (t0, c0), (t1, c1) in zip(stops, stops[1:]):
        if t <= t1:
            return mix_colour(c0, c1, smooth(t0, t1, t))
    return stops[-1][1]


# ---- The scene, in linear light -----------------------------------------------------------------------

SKY = [(0.0, (0.055, 0.13, 0.32)), (0.35, (0.16, 0.26, 0.47)), (0.62, (0.48, 0.38, 0.46)),
       (0.82, (0.95, 0.47, 0.27)), (1.0, (1.05, 0.58, 0.25))]


def sky(x, y):
    colour = gradient(SKY, y / HORIZON)
    distance = math.hypot(x - SUN_X, (y - SUN_Y) * 1.15)
    glow = 0.85 * math.exp(-distance / 38) + 0.35 * math.exp(-distance / 150)
    colour = tuple(c + glow * g for c, g in zip(colour, (1.0, 0.62, 0.28)))
    if distance < 15:
        colour = mix_colour(colour, (4.0, 3.2, 2.0), 1 - smooth(11.5, 14.5, distance))

    # Clouds lie in flat layers: compressed towards the horizon, where one looks along them.
    depth = 1.0 / (0.22 + (HORIZON - y) / HORIZON)
    u, v = (x - 320) * depth / 150 + 3.7, depth * 3.4
    u += 0.5 * fractal(u * 0.9, v * 0.9, 40, 2)
    density = fractal(u, v, 10, 6)
    cover = smooth(0.49, 0.72, density) * smooth(1.02, 0.8, y / HORIZON)
    if cover > 0:
        # Lit where the cloud gets thinner towards the sun.
        to_sun = 0.14 * math.tanh((SUN_X - x) / 70)
        thinner = density - fractal(u + to_sun, v + 0.16, 10, 4)
        light = smooth(-0.10, 0.13, thinner)
        near = math.exp(-distance / 210)
        dark = mix_colour((0.20, 0.20, 0.33), (0.50, 0.25, 0.22), near)
        bright = mix_colour((0.80, 0.56, 0.56), (1.7, 1.02, 0.55), near)
        colour = mix_colour(colour, mix_colour(dark, bright, light), 0.88 * cover)
    return colour


# Ridges from far to near: height above the horizon, how high they vary, width of a feature, haze, colour.
RIDGES = [
    (50, 78, 150.0, 0.56, (0.15, 0.14, 0.25), 60),
    (26, 58, 105.0, 0.32, (0.080, 0.080, 0.125), 70),
    (7, 40, 80.0, 0.11, (0.035, 0.045, 0.045), 80),
]
HAZE = (0.88, 0.47, 0.31)


def ridge_line(x, ridge):
    base, height, width, _, _, seed = ridge
    shape = fractal(x / width + seed, 0.5, seed, 6)
    valley = 1 - 0.72 * math.exp(-((x - SUN_X) / 135.0) ** 2)    # the sun sets between the hills
    return HORIZON - (base + height * (shape - 0.32) * 1.5) * valley


def land(x, y, ridge, line):
    _, _, _, haze, colour, seed = ridge
    texture = fractal(x / 9, y / 5, seed + 20, 4)
    slope = fractal(x / 34 + 0.25 * (y - line) / 9, (y - line) / 30, seed + 30, 4)
    near = math.exp(-abs(x - SUN_X) / 170)
    lit = smooth(0.42, 0.72, slope) * (0.35 + 0.9 * near)
    colour = tuple(c * (0.45 + 1.1 * texture) for c in colour)
    colour = mix_colour(colour, tuple(c * 2.2 * w for c, w in zip(colour, (1.7, 1.1, 0.7))), lit)
    # Mist gathers over the water.
    haze += (1 - haze) * 0.42 * smooth(HORIZON - 34, HORIZON, y) * (0.4 + 0.6 * near)
    return mix_colour(colour, mix_colour((0.30, 0.27, 0.40), HAZE, near), haze)


def trees():
    """Heights of the forest along the near shore, one per column."""
    heights = [0.0] * WIDTH
    x = -4.0
    index = 0
    while x < WIDTH + 4:
        side = smooth(215, 20, x) + smooth(505, 640, x)
        tall = (5 + 12 * lattice(index, 0, 90)) * (0.55 + 1.25 * side)
        half = tall * (0.20 + 0.09 * lattice(index, 1, 90))
        for column in range(max(0, int(x - half)), min(WIDTH, int(x + half) + 2)):
            t = 1 - abs(column - x) / half
            if t > 0:
                jag = 0.86 + 0.22 * lattice(column, index, 91)
                heights[column] = max(heights[column], tall * t * jag)
        x += half * (0.75 + 0.8 * lattice(index, 2, 90))
        index += 1
    return heights


def upper_half():
    """The rows above the horizon."""
    lines = [[ridge_line(x, ridge) for x in range(WIDTH)] for ridge in RIDGES]
    forest = trees()
    rows = []
    for y in range(HORIZON):
        row = []
        for x in range(WIDTH):
            colour = sky(x, y)
            for ridge, line in zip(RIDGES, lines):
                alpha = min(max(y - line[x] + 0.5, 0.0), 1.0)
                if alpha > 0:
                    colour = mix_colour(colour, land(x, y, ridge, line[x]), alpha)
            alpha = min(max(y - (HORIZON - 1 - forest[x]) + 0.5, 0.0), 1.0)
            if alpha > 0:
                shade = 0.5 + 0.9 * noise(x / 1.7, y / 1.7, 95)
                colour = mix_colour(colour, (0.020 * shade, 0.024 * shade, 0.022 * shade), alpha)
            row.append(colour)
        rows.append(row)
    return rows


def sample(rows, x, y):
    """The colour between pixels; the border repeats."""
    x = min(max(x, 0.0), WIDTH - 1.001)
    y = min(max(y, 0.0), len(rows) - 1.001)
    ix, iy = int(x), int(y)
    top = mix_colour(rows[iy][ix], rows[iy][ix + 1], x - ix)
    bottom = mix_colour(rows[iy + 1][ix], rows[iy + 1][ix + 1], x - ix)
    return mix_colour(top, bottom, y - iy)


def lake(x, y, above):
    depth = y - HORIZON + 1
    far = 90.0 / depth          # waves shrink with distance
    u, v = (x - 320) * far / 70, far * 9
    wave = fractal(u, v, 100, 4) - 0.5
    ripple = noise(u * 5.1, v * 3.3, 110) - 0.5
    strength = 2.0 + 0.23 * depth
    dx = strength * (0.55 * wave + 0.25 * ripple)
    dy = strength * (2.6 * wave + 1.1 * ripple)
    colour = sample(above, x + dx, HORIZON - 1 - depth * 1.12 + dy)
    # Looking down one sees into the water, looking across its mirror.
    mirror = mix(0.90, 0.42, smooth(0, HEIGHT - HORIZON, depth))
    colour = mix_colour((0.018, 0.045, 0.065), colour, mirror)
    # Glitter under the sun.
    spread = 9 + 0.27 * depth
    path = math.exp(-((x - SUN_X + 2.2 * dx) / spread) ** 2)
    glint = smooth(0.50, 0.80, noise(u * 3.1 + 9, v * 4.3, 120) + 0.5 * wave)
    light = path * (0.25 + 1.9 * glint) * mix(1.0, 0.45, smooth(0, 150, depth))
    return tuple(c + light * g for c, g in zip(colour, (1.15, 0.66, 0.30)))


def shore(x, y, colour):
    """Grass in the corners of the foreground."""
    bank = (HEIGHT + 6 - 74 * smooth(330, -30, x) - 46 * smooth(470, 690, x)
            - 9 * (fractal(x / 42, 0.0, 130, 4) - 0.5))
    best = 0.0
    tone = 0.0
    for offset in range(-3, 4):
        blade_x = math.floor(x + offset)
        tall = 5 + 24 * lattice(blade_x, 0, 140) ** 2.2
        lean = (lattice(blade_x, 1, 140) - 0.45) * 7
        root = bank + 3 * lattice(blade_x, 2, 140)
        t = (root - y) / tall
        if t > 1:
            continue
        rise = max(t, 0.0)
        width = 1.25 * (1 - rise) + 0.25
        alpha = smooth(width, 0.0, abs(x - (blade_x + lean * rise * rise))) if t > 0 else 1.0
        if alpha > best:
            best, tone = alpha, 0.25 + 0.75 * rise * lattice(blade_x, 3, 140)
    if best <= 0:
        return colour
    soil = 0.4 + 0.9 * fractal(x / 5, y / 7, 150, 3)
    near = math.exp(-abs(x - SUN_X) / 260)
    grass = tuple(c * tone * soil for c in mix_colour((0.10, 0.15, 0.07), (0.46, 0.30, 0.10), 0.15 + 0.6 * near))
    return mix_colour(colour, grass, best)


# ---- Camera and file ----------------------------------------------------------------------------------

def develop(colour, x, y):
    """Exposure, vignette, film curve, sRGB and a little grain, to three bytes."""
    dx, dy = (x - WIDTH / 2) / (WIDTH / 2), (y - HEIGHT / 2) / (HEIGHT / 2)
    exposure = 0.66 * (1 - 0.20 * (dx * dx + dy * dy))
    grain = (lattice(x, y, 200) + lattice(x, y, 201) - 1.0) * 1.5
    pixel = []
    for light in colour:
        light *= exposure
        light = light * (2.51 * light + 0.03) / (light * (2.43 * light + 0.59) + 0.14)   # a common filmic curve
        light = min(max(light, 0.0), 1.0)
        value = 12.92 * light if light <= 0.0031308 else 1.055 * light ** (1 / 2.4) - 0.055
        pixel.append(min(max(round(255 * value + grain), 0), 255))
    return pixel


def filtered(row, previous):
    """The PNG filter whose output is smallest, which compresses best."""
    left = [0, 0, 0] + row[:-3]
    corner = [0, 0, 0] + previous[:-3]
    predictions = [
        [0] * len(row), left, previous,
        [(a + b) // 2 for a, b in zip(left, previous)],
        [paeth(a, b, c) for a, b, c in zip(left, previous, corner)],
    ]
    candidates = []
    for kind, prediction in enumerate(predictions):
        data = bytes((value - guess) & 255 for value, guess in zip(row, prediction))
        candidates.append((sum(min(b, 256 - b) for b in data), bytes([kind]) + data))
    return min(candidates)[1]


def paeth(left, above, corner):
    """Whichever neighbour is closest to left + above - corner; the first one in a tie."""
    estimate = left + above - corner
    return min((left, above, corner), key=lambda neighbour: abs(estimate - neighbour))


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def write_png(path, rows):
    previous = [0] * len(rows[0])
    data = b""
    for row in rows:
        data += filtered(row, previous)
        previous = row
    with open(path, "wb") as out:
        out.write(b"\x89PNG\r\n\x1a\n")
        out.write(chunk(b"IHDR", struct.pack(">IIBBBBB", WIDTH, HEIGHT, 8, 2, 0, 0, 0)))
        out.write(chunk(b"IDAT", zlib.compress(data, 9)))
        out.write(chunk(b"IEND", b""))


def main():
    path = sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(os.path.abspath(__file__)), "picture.png")
    above = upper_half()
    rows = []
    for y in range(HEIGHT):
        row = []
        for x in range(WIDTH):
            colour = above[y][x] if y < HORIZON else lake(x, y, above)
            if y > HEIGHT - 130:
                colour = shore(x, y, colour)
            row += develop(colour, x, y)
        rows.append(row)
    write_png(path, rows)


if __name__ == "__main__":
    main()
