import type { Hex } from '../color.js'
import { wave } from '../ramp.js'
import { type Noun, type Part, part } from './part.js'
import { blob, box, curve, join, line, oval, poly, ring } from './shapes.js'

const table: Noun = {
  words: ['table', 'desk'],
  home: 'land',
  indoor: true,
  color: '#a86f3e',
  height: 0.3,
  width: 2,
  parts: () => [
    ...[-0.72, 0.72].map((x) => part('deep', box([x, 0.46], [0.05, 0.4], 0.02), { bulge: 0.04 })),
    ...[-0.86, 0.86].map((x) => part('main', box([x, 0.43], [0.065, 0.43], 0.02), { bulge: 0.05 })),
    part('deep', box([0, 0.8], [0.9, 0.07], 0.02), { bulge: 0.04 }),
    part('main', box([0, 0.925], [1, 0.075], 0.03), { bulge: 0.06 }),
    part('pale', line([-0.94, 0.965], [0.94, 0.965], 0.014), { bulge: 0, alpha: 0.7 }),
  ],
}

const chair: Noun = {
  words: ['chair', 'stool', 'armchair'],
  home: 'land',
  indoor: true,
  color: '#b5794a',
  height: 0.36,
  width: 0.62,
  seat: 0.48,
  parts: () => [
    ...[-0.19, 0.23].map((x) => part('deep', line([x, 0.42], [x, 0.05], 0.026), { bulge: 0.02 })),
    ...[-0.24, 0.2].map((x) => part('main', line([x, 0.46], [x, 0.97], 0.03), { bulge: 0.03 })),
    ...[0.62, 0.76, 0.9].map((y) => part('main', box([-0.02, y], [0.22, 0.036], 0.012), { bulge: 0.03 })),
    part('main', box([0, 0.45], [0.3, 0.042], 0.025), { bulge: 0.04 }),
    ...[-0.26, 0.27].map((x) => part('main', line([x, 0.42], [x, 0.025], 0.03), { bulge: 0.03 })),
  ],
}

const lamp: Noun = {
  words: ['lamp', 'lantern', 'street lamp'],
  home: 'land',
  indoor: true,
  color: '#e2b45a',
  height: 0.5,
  width: 0.56,
  parts: () => [
    part('#fff0b8', oval([0, 0.72], [0.5, 0.42]), {
      bulge: 0,
      alpha: 0.5,
      blur: 0.26,
      shines: true,
      nocturnal: true,
    }),
    part('#4a4650', join([oval([0, 0.03], [0.16, 0.035]), box([0, 0.025], [0.16, 0.02], 0.01)]), {
      bulge: 0.03,
    }),
    part('#4a4650', line([0, 0.04], [0, 0.7], 0.018), { bulge: 0.02 }),
    part(
      'main',
      poly(
        [
          [-0.14, 0.97],
          [0.14, 0.97],
          [0.27, 0.64],
          [-0.27, 0.64],
        ],
        0.012,
      ),
      { bulge: 0.12 },
    ),
    part(
      '#fff4cf',
      poly([
        [-0.24, 0.655],
        [0.24, 0.655],
        [0.22, 0.7],
        [-0.22, 0.7],
      ]),
      { bulge: 0, shines: true, nocturnal: true, alpha: 0.8 },
    ),
  ],
}

const clock: Noun = {
  words: ['clock', 'alarm clock', 'watch'],
  home: 'land',
  indoor: true,
  color: '#cf4a3a',
  height: 0.3,
  width: 0.94,
  parts: () => [
    ...[-1, 1].flatMap((side) => [
      part('deep', line([side * 0.2, 0.16], [side * 0.3, 0.025], [0.05, 0.035]), { bulge: 0.03 }),
      part('main', oval([side * 0.24, 0.9], [0.13, 0.1], side * -0.09), { bulge: 0.07 }),
    ]),
    part('deep', line([0, 0.86], [0, 0.96], 0.03), { bulge: 0.03 }),
    part('main', oval([0, 0.48], 0.42), { bulge: 0.12 }),
    part('#faf5e8', oval([0, 0.48], 0.335), { bulge: 0.05 }),
    ...Array.from({ length: 12 }, (_, i) => {
      const [x, y] = [wave(i / 12), wave(i / 12 + 0.25)]
      const inner = i % 3 ? 0.27 : 0.24
      return part('#3a3540', line([x * inner, 0.48 + y * inner], [x * 0.3, 0.48 + y * 0.3], 0.012), {
        bulge: 0,
      })
    }),
    part('#2b2730', line([0, 0.48], [-0.11, 0.6], 0.022), { bulge: 0 }),
    part('#2b2730', line([0, 0.48], [0.17, 0.58], 0.015), { bulge: 0 }),
    part('#2b2730', oval([0, 0.48], 0.03), { bulge: 0.02 }),
  ],
}

const book: Noun = {
  words: ['book', 'notebook', 'diary'],
  home: 'land',
  indoor: true,
  color: '#3d6fb5',
  height: 0.18,
  width: 1.9,
  parts: () => [
    part(
      'main',
      poly(
        [
          [0, 0.03],
          [0.93, 0.2],
          [0.93, 0.9],
          [0, 0.7],
          [-0.93, 0.9],
          [-0.93, 0.2],
        ],
        0.02,
      ),
      { bulge: 0.05 },
    ),
    ...[-1, 1].flatMap((side): Part[] => [
      part(
        '#f4eddb',
        blob([
          [0, 0.14],
          [side * 0.3, 0.28],
          [side * 0.62, 0.29],
          [side * 0.86, 0.26],
          [side * 0.86, 0.96],
          [side * 0.5, 0.99],
          [side * 0.2, 0.93],
          [0, 0.8],
        ]),
        { bulge: 0.08 },
      ),
      ...[0.84, 0.72, 0.6, 0.48].map((y) =>
        part(
          '#8f887c',
          curve(
            [
              [side * 0.13, y - 0.06],
              [side * 0.4, y + 0.07],
              [side * 0.72, y + 0.04],
            ],
            0.012,
          ),
          { bulge: 0, alpha: 0.7 },
        ),
      ),
    ]),
    part('#c9bfa8', line([0, 0.16], [0, 0.78], 0.016), { bulge: 0 }),
  ],
}

const bench: Noun = {
  words: ['bench', 'park bench', 'sofa', 'couch'],
  home: 'land',
  color: '#9c6a3f',
  height: 0.28,
  width: 2.1,
  seat: 0.5,
  parts: () => [
    ...[-0.8, 0.8].flatMap((x) => [
      part('#3f4248', line([x, 0.44], [x, 0.03], 0.035), { bulge: 0.03 }),
      part('#3f4248', line([x, 0.44], [x, 0.95], 0.03), { bulge: 0.03 }),
    ]),
    ...[0.64, 0.78, 0.92].map((y) => part('main', box([0, y], [0.98, 0.05], 0.02), { bulge: 0.04 })),
    part('main', box([0, 0.45], [1.02, 0.055], 0.02), { bulge: 0.04 }),
    part('deep', box([0, 0.37], [1.0, 0.03], 0.012), { bulge: 0.03 }),
  ],
}

const vase: Noun = {
  words: ['vase', 'bouquet', 'pot', 'vase of flowers', 'flower vase'],
  home: 'land',
  indoor: true,
  color: '#4f8fb0',
  height: 0.36,
  width: 0.66,
  parts: () => [
    ...(
      [
        [-0.2, 0.76, '#e2607a'],
        [0.2, 0.78, '#f0b840'],
        [0, 0.88, '#d9566c'],
        [-0.1, 0.7, '#f4e6d0'],
        [0.11, 0.69, '#b77fd0'],
      ] as const
    ).flatMap(([x, y, petal]) => [
      part(
        '#4f8b3f',
        curve(
          [
            [0, 0.42],
            [x * 0.3, 0.6],
            [x, y],
          ],
          0.012,
        ),
        { bulge: 0 },
      ),
      ...Array.from({ length: 6 }, (_, i) =>
        part(petal satisfies Hex, oval([x + 0.062 * wave(i / 6), y + 0.062 * wave(i / 6 + 0.25)], 0.045), {
          bulge: 0.03,
        }),
      ),
      part('#f2c84b', oval([x, y], 0.034), { bulge: 0.02 }),
    ]),
    part(
      'main',
      blob([
        [-0.1, 0.5],
        [-0.13, 0.44],
        [-0.24, 0.28],
        [-0.2, 0.08],
        [-0.1, 0],
        [0.1, 0],
        [0.2, 0.08],
        [0.24, 0.28],
        [0.13, 0.44],
        [0.1, 0.5],
      ]),
      { bulge: 0.14 },
    ),
    part('pale', line([-0.2, 0.3], [0.2, 0.3], 0.016), { bulge: 0.01 }),
    part('deep', oval([0, 0.5], [0.12, 0.025]), { bulge: 0.02 }),
  ],
}

const sign: Noun = {
  words: ['sign', 'signpost', 'billboard', 'placard', 'banner'],
  home: 'land',
  color: '#f0e2bf',
  height: 0.46,
  width: 1.5,
  parts: () => [
    ...[-0.4, 0.4].map((x) => part('#7a5334', box([x, 0.26], [0.045, 0.26], 0.015), { bulge: 0.04 })),
    part('#7a5334', box([0, 0.68], [0.75, 0.32], 0.05), { bulge: 0.05 }),
    part('main', box([0, 0.68], [0.7, 0.27], 0.03), { bulge: 0.03 }),
  ],
}

const ball: Noun = {
  words: ['ball', 'beach ball', 'football', 'basketball'],
  home: 'land',
  indoor: 'either',
  color: '#e0473f',
  height: 0.2,
  width: 1,
  parts: () => {
    const body = oval([0, 0.5], 0.5)
    return [
      part('main', body, { bulge: 0.3 }),
      part('#f8f4ea', oval([-0.12, 0.55], [0.22, 0.56], 0.05), { on: body, bulge: 0.3 }),
      part('main', oval([-0.16, 0.56], [0.06, 0.56], 0.05), { on: body, bulge: 0.3 }),
      part('#f2c230', oval([0.42, 0.4], [0.12, 0.5], -0.03), { on: body, bulge: 0.3 }),
      part('#ffffff', oval([-0.18, 0.78], [0.1, 0.07], 0.07), { bulge: 0, alpha: 0.6, blur: 0.05 }),
    ]
  },
}

const gift: Noun = {
  words: ['gift', 'present', 'box', 'parcel'],
  home: 'land',
  indoor: 'either',
  color: '#4a7fc0',
  height: 0.26,
  width: 1,
  parts: () => [
    part('main', box([0, 0.34], [0.42, 0.34], 0.02), { bulge: 0.1 }),
    part('#e8c34a', box([0, 0.34], [0.075, 0.34]), { bulge: 0.04 }),
    part('main', box([0, 0.68], [0.48, 0.085], 0.02), { bulge: 0.05 }),
    part('#e8c34a', box([0, 0.68], [0.085, 0.09]), { bulge: 0.04 }),
    ...[-1, 1].flatMap((side) => [
      part(
        '#e8c34a',
        blob([
          [0, 0.77],
          [side * 0.14, 0.96],
          [side * 0.32, 0.97],
          [side * 0.3, 0.82],
        ]),
        { bulge: 0.06 },
      ),
      part('#b8922c', oval([side * 0.2, 0.88], [0.07, 0.035], side * 0.08), { bulge: 0.02 }),
    ]),
    part('#e8c34a', oval([0, 0.79], [0.07, 0.055]), { bulge: 0.04 }),
  ],
}

const guitar: Noun = {
  words: ['guitar', 'violin', 'ukulele', 'cello'],
  home: 'land',
  indoor: 'either',
  color: '#c4823c',
  height: 0.46,
  width: 0.4,
  parts: () => [
    part('#3b2a20', line([0, 0.4], [0, 0.9], 0.026), { bulge: 0.02 }),
    part('deep', box([0, 0.94], [0.045, 0.06], 0.015), { bulge: 0.02 }),
    part(
      'main',
      blob([
        [0, 0.55],
        [-0.12, 0.52],
        [-0.1, 0.38],
        [-0.19, 0.22],
        [-0.12, 0.04],
        [0, 0],
        [0.12, 0.04],
        [0.19, 0.22],
        [0.1, 0.38],
        [0.12, 0.52],
      ]),
      { bulge: 0.08 },
    ),
    part('#2e211b', oval([0, 0.31], 0.06), { bulge: 0 }),
    part('#e9d7b4', ring([0, 0.31], 0.066, 0.005), { bulge: 0 }),
    part('#3b2a20', box([0, 0.14], [0.07, 0.016], 0.006), { bulge: 0.01 }),
    ...[-0.014, 0, 0.014].map((x) => part('#f4ead2', line([x, 0.14], [x, 0.93], 0.002), { bulge: 0 })),
  ],
}

/** Furniture, indoors and in gardens. */
export const furniture: readonly Noun[] = [
  table,
  chair,
  lamp,
  clock,
  book,
  bench,
  vase,
  sign,
  ball,
  gift,
  guitar,
]
