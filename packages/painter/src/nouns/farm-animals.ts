import { eyes, ink, type Noun, part } from './part.js'
import { blob, box, curve, join, line, oval, poly } from './shapes.js'

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

/** Farm animals. */
export const farmAnimals: readonly Noun[] = [horse, cow]
