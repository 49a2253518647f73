import { between, type Random } from '../random.js'
import { type Noun, type Part, part } from './part.js'
import { blob, box, curve, type Form, join, line, oval, type Point, placed } from './shapes.js'

const tree: Noun = {
  words: [
    'tree',
    'oak',
    'maple',
    'oak tree',
    'maple tree',
    'birch',
    'birch tree',
    'willow',
    'willow tree',
    'beech',
    'elm',
  ],
  home: 'land',
  color: '#5f9a42',
  height: 0.5,
  width: 0.8,
  // The seat is in the crown.
  seat: 0.46,
  parts: (random) => {
    const clumps = crown(random)
    return [
      part('#6f4c33', trunk(between(random, -0.03, 0.03)), { bulge: 0.045 }),
      part(
        'deep',
        join(
          clumps.map(([x, y, r]) => oval([x * 0.98, y - 0.035], r * 0.96)),
          0.03,
        ),
        { bulge: 0 },
      ),
      part(
        'main',
        join(
          clumps.map(([x, y, r]) => oval([x * 0.94 - 0.01, y + 0.015], r * 0.88)),
          0.03,
        ),
        { bulge: 0.14 },
      ),
      part('pale', join(clumps.map(([x, y, r]) => oval([x * 0.86 - 0.035, y + 0.045], r * 0.4))), {
        alpha: 0.3,
        blur: 0.07,
        bulge: 0,
      }),
    ]
  },
}

/** Returns a ring of round clumps with one in the middle, all slightly displaced. */
function crown(random: Random): [x: number, y: number, radius: number][] {
  const ring = [
    [-0.26, 0.52],
    [-0.22, 0.72],
    [-0.06, 0.84],
    [0.13, 0.81],
    [0.26, 0.65],
    [0.24, 0.48],
    [0, 0.46],
    [-0.02, 0.63],
    [0.12, 0.62],
  ] as const
  return ring.map(([x, y]) => [
    x + between(random, -0.03, 0.03),
    y + between(random, -0.03, 0.03),
    between(random, 0.135, 0.17),
  ])
}

function trunk(lean: number): Form {
  return join(
    [
      line([0, 0], [lean, 0.5], [0.06, 0.035]),
      line([lean, 0.3], [lean - 0.14, 0.52], [0.028, 0.014]),
      line([lean, 0.32], [lean + 0.15, 0.54], [0.026, 0.012]),
      line([-0.04, 0.05], [-0.09, 0.0], [0.03, 0.012]),
      line([0.04, 0.05], [0.09, 0.0], [0.03, 0.012]),
    ],
    0.05,
  )
}

const pine: Noun = {
  words: ['pine', 'pine tree', 'fir', 'fir tree', 'spruce', 'christmas tree'],
  home: 'land',
  color: '#2f6e4e',
  height: 0.52,
  width: 0.55,
  parts: (random) => [
    part('#5d412e', box([0, 0.07], [0.035, 0.08]), { bulge: 0.03 }),
    ...[0, 1, 2, 3, 4].map((tier): Part => {
      const base = 0.1 + tier * 0.165
      const half = 0.27 - tier * 0.045 + between(random, -0.012, 0.012)
      return part('main', bough(base, half), { bulge: 0.09 })
    }),
  ],
}

function bough(base: number, half: number): Form {
  const top = base + 0.27 - half * 0.12
  return blob([
    [0, top],
    [half * 0.42, base + 0.12],
    [half, base],
    [half * 0.55, base + 0.012],
    [half * 0.25, base - 0.02],
    [0, base + 0.01],
    [-half * 0.25, base - 0.02],
    [-half * 0.55, base + 0.012],
    [-half, base],
    [-half * 0.42, base + 0.12],
  ])
}

const palm: Noun = {
  words: ['palm', 'palm tree', 'coconut tree'],
  home: 'land',
  color: '#3f8f4f',
  height: 0.55,
  width: 0.85,
  parts: (random) => {
    const top: Point = [0.1 + between(random, -0.03, 0.05), 0.78]
    return [
      part('#96714a', curve([[-0.04, 0], [-0.06, 0.45], top], [0.05, 0.026]), { bulge: 0.045 }),
      ...[0.04, 0.16, 0.3, 0.42, 0.53, 0.96].map((turn, i) =>
        part(i % 2 ? 'main' : 'deep', frond(top, turn + between(random, -0.015, 0.015)), { bulge: 0.04 }),
      ),
      ...[-0.03, 0.025].map((dx) =>
        part('#7a5230', oval([top[0] + dx, top[1] - 0.035], 0.032), { bulge: 0.03 }),
      ),
    ]
  },
}

function frond(from: Point, turn: number): Form {
  const right = turn < 0.25 || turn > 0.75 ? 1 : -1
  const leaf = blob([
    [0, 0],
    [0.14, 0.05 * right],
    [0.3, -0.02 * right],
    [0.4, -0.16 * right],
    [0.25, -0.07 * right],
    [0.12, -0.03 * right],
  ])
  return placed(leaf, from, turn)
}

const cactus: Noun = {
  words: ['cactus', 'cacti'],
  home: 'land',
  color: '#4c8f4f',
  height: 0.42,
  width: 0.6,
  parts: () => {
    const body = join(
      [
        line([0, 0.02], [0, 0.88], 0.105),
        curve(
          [
            [0, 0.36],
            [-0.3, 0.34],
            [-0.27, 0.66],
          ],
          0.07,
        ),
        curve(
          [
            [0, 0.26],
            [0.28, 0.24],
            [0.26, 0.54],
          ],
          0.065,
        ),
      ],
      0.03,
    )
    return [
      part('main', body, { bulge: 0.09 }),
      ...[-0.05, 0, 0.05].map((x) =>
        part('deep', line([x, 0.03], [x, 0.94], 0.006), { on: body, bulge: 0.09, alpha: 0.6 }),
      ),
      part('#ef7aa5', oval([0, 0.985], [0.05, 0.035]), { bulge: 0.03 }),
      part('#ef7aa5', oval([-0.27, 0.73], [0.035, 0.025]), { bulge: 0.02 }),
    ]
  },
}

/** Trees and similar plants. */
export const plants: readonly Noun[] = [tree, pine, palm, cactus]
