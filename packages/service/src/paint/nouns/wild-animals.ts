import { join } from './combine.js'
import type { Point } from './form.js'
import { box, oval } from './outline.js'
import { type Noun, type Part, part } from './part.js'
import { blob, poly } from './polygon.js'
import { curve, line } from './stroke.js'

const ink = '#2b2530'

function eyes(xs: readonly number[], y: number, size: number): Part[] {
  return xs.flatMap((x) => [
    part(ink, oval([x, y], [size, size * 1.15]), { bulge: 0 }),
    part('#ffffff', oval([x - size * 0.3, y + size * 0.45], size * 0.36), { bulge: 0 }),
  ])
}

const bear: Noun = {
  words: ['bear', 'teddy bear', 'teddy'],
  home: 'land',
  color: '#8a5a34',
  height: 0.4,
  width: 0.74,
  parts: () => [
    ...[-1, 1].flatMap((side) => [
      part('main', oval([side * 0.16, 0.09], [0.13, 0.1]), { bulge: 0.08 }),
      part('pale', oval([side * 0.17, 0.08], [0.07, 0.055]), { bulge: 0.04 }),
    ]),
    part('main', oval([0, 0.31], [0.28, 0.27]), { bulge: 0.2 }),
    part('pale', oval([0, 0.29], [0.16, 0.17]), { bulge: 0.1 }),
    ...[-1, 1].flatMap((side) => [
      part('main', line([side * 0.2, 0.46], [side * 0.31, 0.26], [0.08, 0.075]), { bulge: 0.07 }),
      part('main', oval([side * 0.17, 0.92], 0.085), { bulge: 0.06 }),
      part('pale', oval([side * 0.17, 0.92], 0.045), { bulge: 0.03 }),
    ]),
    part('main', join([oval([0, 0.76], [0.23, 0.2]), oval([0, 0.69], [0.2, 0.13])], 0.06), { bulge: 0.16 }),
    part('pale', oval([0, 0.69], [0.11, 0.085]), { bulge: 0.06 }),
    part(ink, oval([0, 0.725], [0.045, 0.03]), { bulge: 0.02 }),
    part(
      ink,
      curve(
        [
          [-0.05, 0.655],
          [0, 0.63],
          [0.05, 0.655],
        ],
        0.007,
      ),
      { bulge: 0 },
    ),
    ...eyes([-0.09, 0.09], 0.8, 0.026),
  ],
}

const elephant: Noun = {
  words: ['elephant', 'mammoth'],
  home: 'land',
  color: '#8d95a3',
  height: 0.42,
  width: 1.3,
  parts: () => [
    part(
      'deep',
      curve(
        [
          [-0.52, 0.62],
          [-0.63, 0.5],
          [-0.6, 0.34],
        ],
        [0.022, 0.014],
      ),
      { bulge: 0.02 },
    ),
    ...[-0.36, 0.18].map((x) => part('deep', box([x, 0.16], [0.085, 0.16], 0.05), { bulge: 0.06 })),
    part(
      'main',
      blob([
        [-0.55, 0.5],
        [-0.46, 0.76],
        [-0.15, 0.86],
        [0.14, 0.8],
        [0.3, 0.56],
        [0.24, 0.28],
        [-0.1, 0.24],
        [-0.45, 0.26],
      ]),
      { bulge: 0.22 },
    ),
    ...[-0.24, 0.06].flatMap((x) => [
      part('main', box([x, 0.2], [0.095, 0.2], 0.06), { bulge: 0.08 }),
      ...[-0.05, 0, 0.05].map((toe) => part('#efe6d6', oval([x + toe, 0.025], [0.02, 0.024]), { bulge: 0 })),
    ]),
    part(
      'main',
      curve(
        [
          [0.5, 0.62],
          [0.66, 0.34],
          [0.52, 0.08],
        ],
        [0.11, 0.045],
      ),
      { bulge: 0.09 },
    ),
    part('main', join([oval([0.36, 0.72], [0.23, 0.25]), oval([0.46, 0.62], [0.15, 0.15])], 0.08), {
      bulge: 0.18,
    }),
    part(
      '#f4ecd8',
      curve(
        [
          [0.44, 0.5],
          [0.53, 0.36],
          [0.66, 0.42],
        ],
        [0.032, 0.008],
      ),
      { bulge: 0.03 },
    ),
    part(
      'deep',
      blob([
        [0.24, 0.94],
        [0.06, 0.96],
        [-0.06, 0.78],
        [0, 0.52],
        [0.16, 0.42],
        [0.26, 0.62],
      ]),
      { bulge: 0.1 },
    ),
    part(
      '#c9a5ab',
      blob([
        [0.19, 0.86],
        [0.09, 0.87],
        [0.02, 0.75],
        [0.06, 0.58],
        [0.15, 0.53],
        [0.2, 0.66],
      ]),
      { bulge: 0.06 },
    ),
    ...eyes([0.44], 0.76, 0.024),
  ],
}

const frog: Noun = {
  words: ['frog', 'toad'],
  home: 'land',
  color: '#5fae43',
  height: 0.24,
  width: 1.35,
  parts: () => [
    ...[-1, 1].flatMap((side) => [
      part(
        'deep',
        join(
          [oval([side * 0.44, 0.24], [0.2, 0.25], side * -0.06), oval([side * 0.5, 0.05], [0.18, 0.05])],
          0.05,
        ),
        { bulge: 0.12 },
      ),
    ]),
    part('main', oval([0, 0.38], [0.46, 0.37]), { bulge: 0.26 }),
    part('#e6edb4', oval([0, 0.26], [0.3, 0.24]), { bulge: 0.14 }),
    ...[-1, 1].flatMap((side) => [
      part(
        'main',
        join(
          [line([side * 0.26, 0.34], [side * 0.24, 0.07], 0.065), oval([side * 0.25, 0.045], [0.13, 0.045])],
          0.05,
        ),
        { bulge: 0.06 },
      ),
      part('main', oval([side * 0.24, 0.84], 0.16), { bulge: 0.1 }),
      part('#f6f2d4', oval([side * 0.24, 0.86], 0.105), { bulge: 0.03 }),
      part(ink, oval([side * 0.23, 0.86], [0.055, 0.07]), { bulge: 0 }),
      part('#ffffff', oval([side * 0.23 - 0.025, 0.9], 0.022), { bulge: 0 }),
    ]),
    part('main', oval([0, 0.64], [0.44, 0.24]), { bulge: 0.18 }),
    ...[-1, 1].flatMap((side) => [
      part('#f6f2d4', oval([side * 0.24, 0.87], 0.1), { bulge: 0.03 }),
      part(ink, oval([side * 0.23, 0.87], [0.05, 0.062]), { bulge: 0 }),
      part('#ffffff', oval([side * 0.23 - 0.025, 0.9], 0.02), { bulge: 0 }),
      part('#e88f86', oval([side * 0.32, 0.6], [0.06, 0.04]), { bulge: 0, alpha: 0.6, blur: 0.03 }),
    ]),
    part(
      ink,
      curve(
        [
          [-0.28, 0.62],
          [0, 0.46],
          [0.28, 0.62],
        ],
        0.014,
      ),
      { bulge: 0 },
    ),
  ],
}

const turtle: Noun = {
  words: ['turtle', 'tortoise'],
  home: 'land',
  color: '#5c8f4a',
  height: 0.22,
  width: 1.95,
  parts: () => [
    part('main', line([-0.72, 0.18], [-0.9, 0.1], [0.07, 0.015]), { bulge: 0.04 }),
    ...[-0.45, 0.42].map((x) => part('main', line([x, 0.3], [x + 0.05, 0.07], [0.13, 0.1]), { bulge: 0.08 })),
    part(
      'pale',
      join([line([0.55, 0.35], [0.74, 0.55], [0.13, 0.11]), oval([0.8, 0.6], [0.17, 0.15])], 0.08),
      { bulge: 0.1 },
    ),
    part(
      'main',
      blob([
        [-0.74, 0.24],
        [-0.6, 0.72],
        [-0.2, 0.98],
        [0.2, 0.96],
        [0.56, 0.68],
        [0.68, 0.26],
        [0, 0.18],
      ]),
      { bulge: 0.3 },
    ),
    ...(
      [
        [-0.36, 0.58, 0.15],
        [0.0, 0.68, 0.17],
        [0.34, 0.56, 0.14],
        [-0.18, 0.38, 0.11],
        [0.18, 0.38, 0.11],
      ] as const
    ).map(([x, y, r]) =>
      part(
        'deep',
        poly(
          [0, 1, 2, 3, 4, 5].map(
            (i): Point => [x + r * (hexagon[i]?.[0] ?? 0), y + r * (hexagon[i]?.[1] ?? 0)],
          ),
          0.01,
        ),
        { bulge: 0.06 },
      ),
    ),
    part('#e6dcae', line([-0.7, 0.24], [0.64, 0.25], 0.045), { bulge: 0.04 }),
    ...eyes([0.84], 0.66, 0.036),
    part(
      ink,
      curve(
        [
          [0.84, 0.53],
          [0.9, 0.51],
          [0.95, 0.56],
        ],
        0.012,
      ),
      { bulge: 0 },
    ),
  ],
}

const hexagon: readonly Point[] = [
  [1, 0],
  [0.5, 0.87],
  [-0.5, 0.87],
  [-1, 0],
  [-0.5, -0.87],
  [0.5, -0.87],
]

const bee: Noun = {
  words: ['bee', 'bumblebee', 'wasp'],
  home: 'sky',
  color: '#f2c230',
  height: 0.16,
  width: 1.4,
  shadowless: true,
  parts: () => {
    const body = oval([0, 0.4], [0.46, 0.33])
    return [
      part('#dfeef6', oval([-0.08, 0.84], [0.17, 0.26], 0.06), { bulge: 0.06, alpha: 0.85 }),
      part('#f1f8fb', oval([0.2, 0.82], [0.15, 0.24], -0.05), { bulge: 0.06, alpha: 0.85 }),
      part(
        ink,
        poly([
          [-0.42, 0.44],
          [-0.42, 0.34],
          [-0.58, 0.38],
        ]),
        { bulge: 0.02 },
      ),
      part('main', body, { bulge: 0.24 }),
      ...[-0.24, -0.02, 0.2].map((x) => part(ink, box([x, 0.4], [0.05, 0.4]), { on: body, bulge: 0.24 })),
      part('main', oval([0.48, 0.44], 0.22), { bulge: 0.16 }),
      ...[0.46, 0.58].flatMap((x) => [
        part(ink, oval([x, 0.48], [0.035, 0.05]), { bulge: 0 }),
        part('#ffffff', oval([x - 0.01, 0.505], 0.014), { bulge: 0 }),
      ]),
      part(
        ink,
        curve(
          [
            [0.46, 0.37],
            [0.53, 0.32],
            [0.6, 0.38],
          ],
          0.012,
        ),
        { bulge: 0 },
      ),
      ...[0.44, 0.56].flatMap((x) => [
        part(
          ink,
          curve(
            [
              [x, 0.63],
              [x + 0.02, 0.78],
              [x + 0.1, 0.8],
            ],
            0.014,
          ),
          { bulge: 0 },
        ),
        part(ink, oval([x + 0.1, 0.8], 0.026), { bulge: 0 }),
      ]),
    ]
  },
}

const horse: Noun = {
  words: ['horse', 'pony', 'donkey'],
  home: 'land',
  color: '#9a6238',
  height: 0.46,
  width: 1.12,
  parts: () => [
    part(
      'deep',
      curve(
        [
          [-0.4, 0.58],
          [-0.6, 0.5],
          [-0.52, 0.2],
        ],
        [0.035, 0.06],
      ),
      { bulge: 0.04 },
    ),
    ...[-0.24, 0.3].flatMap((x) => [
      part('deep', line([x, 0.4], [x + 0.02, 0.06], [0.065, 0.036]), { bulge: 0.04 }),
      part('#3b2c26', box([x + 0.03, 0.03], [0.05, 0.03], 0.012), { bulge: 0.02 }),
    ]),
    part(
      'main',
      join(
        [
          oval([-0.2, 0.5], [0.24, 0.18]),
          oval([0.16, 0.5], [0.22, 0.17]),
          box([0, 0.49], [0.2, 0.145], 0.05),
        ],
        0.1,
      ),
      { bulge: 0.17 },
    ),
    ...[-0.34, 0.2].flatMap((x) => [
      part('main', line([x, 0.44], [x + 0.01, 0.06], [0.085, 0.04]), { bulge: 0.06 }),
      part('#3b2c26', box([x + 0.02, 0.03], [0.055, 0.03], 0.012), { bulge: 0.02 }),
    ]),
    part('main', line([0.26, 0.54], [0.4, 0.84], [0.15, 0.095]), { bulge: 0.1 }),
    part(
      'main',
      join([line([0.4, 0.86], [0.56, 0.68], [0.1, 0.066]), oval([0.56, 0.67], [0.075, 0.066], -0.1)], 0.04),
      { bulge: 0.09 },
    ),
    part('pale', oval([0.57, 0.66], [0.055, 0.05], -0.1), { bulge: 0.04 }),
    part(
      'main',
      poly(
        [
          [0.34, 0.91],
          [0.37, 1.0],
          [0.43, 0.93],
        ],
        0.008,
      ),
      { bulge: 0.03 },
    ),
    part(
      'deep',
      blob([
        [0.36, 0.97],
        [0.26, 0.9],
        [0.14, 0.68],
        [0.12, 0.54],
        [0.22, 0.62],
        [0.34, 0.84],
      ]),
      { bulge: 0.05 },
    ),
    ...eyes([0.46], 0.83, 0.02),
    part(ink, oval([0.6, 0.675], [0.011, 0.015]), { bulge: 0 }),
  ],
}

const cow: Noun = {
  words: ['cow', 'bull', 'calf'],
  home: 'land',
  color: '#f2eee6',
  height: 0.38,
  width: 1.5,
  parts: () => {
    const body = join([oval([-0.24, 0.52], [0.36, 0.26]), oval([0.16, 0.52], [0.34, 0.26])], 0.12)
    return [
      part(
        'deep',
        curve(
          [
            [-0.56, 0.68],
            [-0.68, 0.56],
            [-0.64, 0.26],
          ],
          0.018,
        ),
        { bulge: 0.02 },
      ),
      part('#4b3a33', oval([-0.64, 0.25], [0.035, 0.06]), { bulge: 0.02 }),
      ...[-0.42, 0.26].map((x) => part('deep', box([x, 0.17], [0.055, 0.17], 0.02), { bulge: 0.04 })),
      part('#eeb0ac', oval([-0.14, 0.27], [0.13, 0.085]), { bulge: 0.06 }),
      part('main', body, { bulge: 0.2 }),
      ...(
        [
          [-0.36, 0.64, 0.15, 0.11],
          [0.04, 0.54, 0.13, 0.15],
          [-0.14, 0.38, 0.1, 0.07],
        ] as const
      ).map(([x, y, rx, ry]) => part('#4a3c38', oval([x, y], [rx, ry], 0.07), { on: body, bulge: 0.2 })),
      ...[-0.5, 0.16].flatMap((x) => [
        part('main', box([x, 0.2], [0.06, 0.2], 0.03), { bulge: 0.05 }),
        part('#4a3c38', box([x, 0.03], [0.06, 0.03], 0.012), { bulge: 0.02 }),
      ]),
      ...[-1, 1].flatMap((side) => [
        part(
          '#d9c7a0',
          curve(
            [
              [0.48 + side * 0.1, 0.86],
              [0.48 + side * 0.22, 0.88],
              [0.48 + side * 0.2, 1.0],
            ],
            [0.03, 0.01],
          ),
          { bulge: 0.02 },
        ),
        part('deep', oval([0.48 + side * 0.22, 0.78], [0.1, 0.05], side * -0.06), { bulge: 0.04 }),
      ]),
      part('main', join([oval([0.48, 0.76], [0.16, 0.15]), oval([0.49, 0.62], [0.13, 0.11])], 0.06), {
        bulge: 0.12,
      }),
      part('#eeb0ac', oval([0.49, 0.58], [0.13, 0.085]), { bulge: 0.06 }),
      ...[0.44, 0.54].map((x) => part('#8d5a58', oval([x, 0.6], [0.016, 0.022]), { bulge: 0 })),
      ...eyes([0.41, 0.56], 0.78, 0.026),
    ]
  },
}

/** Animals of farm, wood and pond. */
export const wildAnimals: readonly Noun[] = [bear, elephant, frog, turtle, bee, horse, cow]
