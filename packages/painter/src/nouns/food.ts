import { type Noun, part } from './part.js'
import { blob, box, curve, line, oval, type Point, poly } from './shapes.js'

const cake: Noun = {
  words: ['cake', 'birthday cake', 'pie'],
  home: 'land',
  indoor: true,
  color: '#f2a7bd',
  height: 0.3,
  width: 1.1,
  parts: () => [
    part('#dfe3e8', oval([0, 0.06], [0.54, 0.06]), { bulge: 0.04 }),
    part('#d9a566', box([0, 0.25], [0.44, 0.19], 0.05), { bulge: 0.14 }),
    part('#f7ead2', box([0, 0.26], [0.44, 0.03]), { bulge: 0.14 }),
    part(
      'main',
      blob([
        [-0.45, 0.5],
        [-0.45, 0.38],
        [-0.38, 0.3],
        [-0.3, 0.38],
        [-0.2, 0.29],
        [-0.08, 0.38],
        [0.03, 0.28],
        [0.15, 0.38],
        [0.26, 0.3],
        [0.35, 0.38],
        [0.45, 0.33],
        [0.45, 0.5],
      ]),
      { bulge: 0.06 },
    ),
    part('main', oval([0, 0.5], [0.45, 0.075]), { bulge: 0.04 }),
    ...[-0.27, 0, 0.27].flatMap((x) => [
      part('#f7f4ee', box([x, 0.65], [0.028, 0.15], 0.01), { bulge: 0.03 }),
      part('#5c9bd0', line([x - 0.024, 0.6], [x + 0.024, 0.66], 0.014), { bulge: 0 }),
      part('#5c9bd0', line([x - 0.024, 0.7], [x + 0.024, 0.76], 0.014), { bulge: 0 }),
      part('#ffb53a', oval([x, 0.9], [0.036, 0.08]), { bulge: 0, shines: true }),
      part('#fff1b0', oval([x, 0.875], [0.017, 0.04]), { bulge: 0, shines: true }),
    ]),
  ],
}

const banana: Noun = {
  words: ['banana'],
  home: 'land',
  indoor: true,
  color: '#f4cf3a',
  height: 0.22,
  width: 1.5,
  parts: () => [
    part(
      'main',
      blob([
        [-0.72, 0.82],
        [-0.56, 0.36],
        [-0.12, 0.03],
        [0.36, 0.1],
        [0.7, 0.48],
        [0.64, 0.56],
        [0.28, 0.4],
        [-0.1, 0.44],
        [-0.42, 0.66],
        [-0.6, 0.94],
      ]),
      { bulge: 0.16 },
    ),
    part(
      'deep',
      curve(
        [
          [-0.58, 0.72],
          [-0.14, 0.1],
          [0.6, 0.47],
        ],
        0.014,
      ),
      { bulge: 0, alpha: 0.7 },
    ),
    part('#6b4a2a', line([-0.67, 0.86], [-0.7, 0.98], [0.06, 0.045]), { bulge: 0.03 }),
    part('#5a4026', oval([0.68, 0.52], [0.045, 0.05]), { bulge: 0.02 }),
  ],
}

const iceCream: Noun = {
  words: ['ice cream', 'ice cream cone', 'gelato'],
  home: 'land',
  indoor: true,
  color: '#f3a3b8',
  height: 0.34,
  width: 0.54,
  shadowless: true,
  parts: () => {
    const cone = poly(
      [
        [-0.19, 0.5],
        [0.19, 0.5],
        [0.01, 0.0],
        [-0.01, 0.0],
      ],
      0.01,
    )
    return [
      part('#d9a257', cone, { bulge: 0.1 }),
      ...[-0.24, -0.12, 0, 0.12, 0.24].flatMap((x) => [
        part('#a8743a', line([x, 0.52], [x + 0.2, 0], 0.007), { on: cone, bulge: 0 }),
        part('#a8743a', line([x, 0.52], [x - 0.2, 0], 0.007), { on: cone, bulge: 0 }),
      ]),
      part('#fbf1d8', oval([0, 0.6], [0.25, 0.17]), { bulge: 0.12 }),
      part(
        'main',
        blob([
          [-0.22, 0.72],
          [-0.16, 0.9],
          [0, 0.97],
          [0.16, 0.9],
          [0.22, 0.72],
          [0.12, 0.65],
          [0, 0.69],
          [-0.12, 0.65],
        ]),
        { bulge: 0.14 },
      ),
      part('#c22f3c', oval([0.03, 0.97], 0.055), { bulge: 0.05 }),
    ]
  },
}

const strawberry: Noun = {
  words: ['strawberry', 'raspberry'],
  home: 'land',
  indoor: true,
  color: '#dd2f3c',
  height: 0.22,
  width: 0.9,
  parts: () => [
    part(
      'main',
      blob([
        [0, 0],
        [-0.22, 0.2],
        [-0.4, 0.56],
        [-0.3, 0.8],
        [0, 0.84],
        [0.3, 0.8],
        [0.4, 0.56],
        [0.22, 0.2],
      ]),
      { bulge: 0.24 },
    ),
    ...(
      [
        [-0.2, 0.6],
        [0.02, 0.64],
        [0.22, 0.58],
        [-0.1, 0.42],
        [0.12, 0.4],
        [-0.22, 0.36],
        [0.0, 0.2],
        [0.24, 0.32],
      ] satisfies Point[]
    ).map((at) => part('#f7dc8a', oval(at, [0.018, 0.028]), { bulge: 0 })),
    ...[-0.3, -0.13, 0.04, 0.2, 0.34].map((x, i) =>
      part(
        '#4f9a3e',
        blob([
          [0, 0.84],
          [x * 0.6 - 0.06, 0.86],
          [x, 0.7 + 0.03 * (i % 2)],
          [x * 0.6 + 0.06, 0.8],
        ]),
        { bulge: 0.03 },
      ),
    ),
    part('#4f8a3a', line([0, 0.84], [0.05, 0.98], 0.024), { bulge: 0.02 }),
  ],
}

const pizza: Noun = {
  words: ['pizza', 'slice of pizza', 'pizza slice'],
  home: 'land',
  indoor: true,
  color: '#f0c04f',
  height: 0.26,
  width: 1,
  parts: () => [
    part(
      '#c98a45',
      blob([
        [-0.48, 0.86],
        [-0.3, 0.97],
        [0, 1],
        [0.3, 0.97],
        [0.48, 0.86],
        [0.4, 0.78],
        [0, 0.86],
        [-0.4, 0.78],
      ]),
      { bulge: 0.07 },
    ),
    part(
      'main',
      poly(
        [
          [-0.4, 0.82],
          [0, 0.88],
          [0.4, 0.82],
          [0.02, 0.02],
          [-0.02, 0.02],
        ],
        0.012,
      ),
      { bulge: 0.06 },
    ),
    ...(
      [
        [-0.16, 0.68],
        [0.15, 0.66],
        [0.0, 0.4],
      ] satisfies Point[]
    ).map((at) => part('#c43d2c', oval(at, 0.095), { bulge: 0.04 })),
    ...(
      [
        [0.0, 0.74],
        [-0.07, 0.52],
        [0.12, 0.48],
        [0.0, 0.2],
      ] satisfies Point[]
    ).map((at) => part('#5c9440', oval(at, [0.035, 0.02], 0.1), { bulge: 0 })),
  ],
}

/** Food and drink. */
export const food: readonly Noun[] = [cake, banana, iceCream, strawberry, pizza]
