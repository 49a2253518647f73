import type { Hex } from '../color.js'
import { type Noun, type Part, part } from './part.js'
import { box, curve, cut, join, line, oval, poly } from './shapes.js'

const tower: Noun = {
  words: ['tower', 'stone tower', 'watchtower', 'clock tower'],
  home: 'land',
  color: '#b3a58f',
  height: 0.62,
  width: 0.4,
  metres: 20,
  parts: () => {
    const wall = poly([
      [-0.15, 0],
      [0.15, 0],
      [0.12, 0.76],
      [-0.12, 0.76],
    ])
    return [
      part('main', wall, { bulge: 0.1 }),
      ...[0.08, 0.2, 0.32, 0.44, 0.56, 0.68].flatMap((y, row) =>
        [-0.09, 0, 0.09].map((x) =>
          part('deep', box([x + (row % 2) * 0.04 - 0.02, y], [0.03, 0.016], 0.005), {
            on: wall,
            bulge: 0,
            alpha: 0.35,
          }),
        ),
      ),
      part('main', box([0, 0.79], [0.165, 0.05], 0.008), { bulge: 0.05 }),
      ...[-0.14, -0.047, 0.047, 0.14].map((x) =>
        part('main', box([x, 0.855], [0.026, 0.03], 0.004), { bulge: 0.02 }),
      ),
      part('window', join([box([0, 0.52], [0.03, 0.05]), oval([0, 0.57], 0.03)]), { bulge: 0.01 }),
      part('window', join([box([0, 0.3], [0.03, 0.05]), oval([0, 0.35], 0.03)]), { bulge: 0.01 }),
      part('#5b3f2a', join([box([0, 0.06], [0.048, 0.06]), oval([0, 0.12], 0.048)]), { bulge: 0.02 }),
      part('#5b5248', line([0, 0.84], [0, 0.99], 0.006), { bulge: 0 }),
      part(
        '#c8443c',
        poly([
          [0, 0.99],
          [0.12, 0.955],
          [0, 0.92],
        ]),
        { bulge: 0.01 },
      ),
    ]
  },
}

const bridge: Noun = {
  words: ['bridge', 'stone bridge', 'viaduct', 'footbridge'],
  home: 'land',
  color: '#a89a86',
  height: 0.27,
  width: 3.2,
  metres: 8,
  seat: 0.86,
  parts: () => {
    const arches = [-1, 0, 1].map((x) => join([oval([x, 0.2], [0.36, 0.4]), box([x, 0], [0.36, 0.2])]))
    const stone = cut(
      poly([
        [-1.6, 0],
        [1.6, 0],
        [1.6, 0.72],
        [0, 0.86],
        [-1.6, 0.72],
      ]),
      join(arches),
    )
    return [
      part('main', stone, { bulge: 0.05 }),
      ...[-1.4, -0.5, 0.5, 1.4].flatMap((x) =>
        [0.1, 0.26, 0.42, 0.58].map((y, i) =>
          part('deep', box([x + (i % 2) * 0.09 - 0.045, y], [0.06, 0.03], 0.01), {
            on: stone,
            bulge: 0,
            alpha: 0.4,
          }),
        ),
      ),
      part(
        'pale',
        poly([
          [-1.6, 0.7],
          [0, 0.84],
          [1.6, 0.7],
          [1.6, 0.78],
          [0, 0.92],
          [-1.6, 0.78],
        ]),
        { bulge: 0.04 },
      ),
      ...Array.from({ length: 13 }, (_, i) => -1.5 + i * 0.25).map((x) =>
        part('main', line([x, 0.86 - Math.abs(x) * 0.085], [x, 0.97 - Math.abs(x) * 0.085], 0.02), {
          bulge: 0.02,
        }),
      ),
      part(
        'main',
        curve(
          [
            [-1.56, 0.84],
            [0, 1.1],
            [1.56, 0.84],
          ],
          0.022,
        ),
        { bulge: 0.02 },
      ),
    ]
  },
}

const fence: Noun = {
  words: ['fence', 'wooden fence', 'picket fence', 'gate', 'railing'],
  home: 'land',
  color: '#c9a27a',
  height: 0.2,
  width: 3,
  metres: 1.1,
  parts: () => [
    ...[0.3, 0.68].map((y) => part('deep', box([0, y], [1.48, 0.05], 0.02), { bulge: 0.03 })),
    ...Array.from({ length: 11 }, (_, i) => -1.4 + i * 0.28).map((x) =>
      part(
        'main',
        poly([
          [x - 0.075, 0],
          [x + 0.075, 0],
          [x + 0.075, 0.86],
          [x, 1],
          [x - 0.075, 0.86],
        ]),
        { bulge: 0.04 },
      ),
    ),
  ],
}

const wall: Noun = {
  words: ['wall', 'brick wall', 'stone wall'],
  home: 'land',
  color: '#b5654a',
  height: 0.3,
  width: 2.6,
  metres: 2,
  parts: () => [
    part('pale', box([0, 0.5], [1.3, 0.5], 0.01), { bulge: 0.02 }),
    ...Array.from({ length: 7 }, (_, row) => row).flatMap((row) =>
      Array.from({ length: 9 - (row % 2) }, (_, i): Part => {
        const x = -1.3 + 0.145 + i * 0.29 + (row % 2) * 0.145
        return part('main', box([x, 0.07 + row * 0.143], [0.132, 0.058], 0.012), { bulge: 0.025 })
      }),
    ),
  ],
}

/**
 * Returns the parts of a shop with a striped awning. `sign` is drawn on the shop's board, in a square with side 1
 * around [0, 0.5].
 */
export function shopParts(sign: (to: readonly [number, number], size: number) => readonly Part[]): Part[] {
  const stripes: readonly Hex[] = ['#f6f1e6', '#d8574a']
  return [
    part('main', box([0, 0.44], [0.6, 0.44], 0.01), { bulge: 0.05 }),
    part('deep', box([0, 0.03], [0.62, 0.03], 0.01), { bulge: 0.02 }),
    part('window', box([-0.22, 0.3], [0.27, 0.19], 0.01), { bulge: 0.02 }),
    part('#f6f1e6', box([-0.22, 0.3], [0.012, 0.19]), { bulge: 0 }),
    part('#6b4530', box([0.34, 0.25], [0.14, 0.24], 0.01), { bulge: 0.03 }),
    part('window', box([0.34, 0.33], [0.09, 0.11], 0.01), { bulge: 0.01 }),
    part('#e6c765', oval([0.24, 0.22], 0.018), { bulge: 0.01 }),
    ...Array.from({ length: 10 }, (_, i) => {
      const x = -0.585 + i * 0.13
      const edge = join([
        poly([
          [x - 0.065, 0.5],
          [x + 0.065, 0.5],
          [x * 0.92 + 0.06, 0.64],
          [x * 0.92 - 0.06, 0.64],
        ]),
        oval([x, 0.5], [0.065, 0.035]),
      ])
      return part(stripes[i % 2] ?? 'main', edge, { bulge: 0.03 })
    }),
    part('#f3ead6', box([0, 0.79], [0.42, 0.155], 0.03), { bulge: 0.03 }),
    part('deep', box([0, 0.955], [0.62, 0.03], 0.01), { bulge: 0.02 }),
    ...sign([0, 0.66], 0.26),
  ]
}

const shop: Noun = {
  words: [
    'shop',
    'store',
    'kiosk',
    'stall',
    'cafe',
    'restaurant',
    'pub',
    'bakery',
    'bookstore',
    'bookshop',
    'grocery',
    'pharmacy',
    'butcher',
    'boutique',
  ],
  home: 'land',
  color: '#8fae9c',
  height: 0.44,
  width: 1.26,
  metres: 5,
  parts: () => shopParts(() => []),
}

/** Buildings that the library of drawings lacks. */
export const structures: readonly Noun[] = [tower, bridge, fence, wall, shop]
