import { between, type Random } from '../random.js'
import { type Noun, type Part, part } from './part.js'
import { blob, curve, type Form, oval, type Point, placed } from './shapes.js'

const flower: Noun = {
  words: ['flower', 'rose', 'daisy', 'tulip', 'poppy', 'blossom'],
  home: 'land',
  indoor: 'either',
  color: '#e2557f',
  height: 0.3,
  width: 0.6,
  shadowless: true,
  parts: (random) => bloom({ random, heart: '#f3c33c', petals: 8, face: 0.15 }),
}

const sunflower: Noun = {
  words: ['sunflower'],
  home: 'land',
  color: '#f4bd2c',
  height: 0.42,
  width: 0.55,
  shadowless: true,
  parts: (random) => bloom({ random, heart: '#5a3b22', petals: 13, face: 0.19 }),
}

function bloom(of: { random: Random; heart: `#${string}`; petals: number; face: number }): Part[] {
  const head: Point = [between(of.random, -0.04, 0.04), 0.74]
  const start = of.random()
  const petal = (i: number): Form =>
    placed(
      oval([of.face * 0.92, 0], [of.face * 0.56, of.face * (3.1 / of.petals)]),
      head,
      start + i / of.petals,
    )
  return [
    part('#4b8a3d', curve([[0.02, 0], [-0.04, 0.36], head], [0.02, 0.014]), { bulge: 0.018 }),
    part(
      '#5b9c48',
      placed(
        blob([
          [0, 0],
          [0.1, 0.055],
          [0.23, 0.03],
          [0.12, -0.03],
        ]),
        [0.0, 0.22],
        0.08,
      ),
      { bulge: 0.04 },
    ),
    part(
      '#4b8a3d',
      placed(
        blob([
          [0, 0],
          [0.1, 0.04],
          [0.21, -0.01],
          [0.1, -0.05],
        ]),
        [0.0, 0.32],
        0.41,
      ),
      { bulge: 0.04 },
    ),
    ...Array.from({ length: of.petals }, (_, i) => part(i % 2 ? 'main' : 'deep', petal(i), { bulge: 0.05 })),
    part(of.heart, oval(head, of.face * 0.46), { bulge: 0.06 }),
    part('#000000', oval(head, of.face * 0.22), { bulge: 0, alpha: 0.18, blur: 0.03 }),
  ]
}

const mushroom: Noun = {
  words: ['mushroom', 'toadstool'],
  home: 'land',
  color: '#cf3b34',
  height: 0.24,
  width: 1,
  parts: () => {
    const cap = blob([
      [-0.5, 0.5],
      [-0.4, 0.78],
      [-0.15, 0.97],
      [0.15, 0.97],
      [0.4, 0.78],
      [0.5, 0.5],
      [0.25, 0.44],
      [-0.25, 0.44],
    ])
    return [
      part(
        '#f3ead8',
        blob([
          [-0.13, 0.52],
          [-0.12, 0.25],
          [-0.19, 0.02],
          [0, -0.02],
          [0.19, 0.02],
          [0.12, 0.25],
          [0.13, 0.52],
        ]),
        { bulge: 0.1 },
      ),
      part('#d9c8ab', oval([0, 0.47], [0.36, 0.055]), { bulge: 0.03 }),
      part('main', cap, { bulge: 0.2 }),
      ...(
        [
          [-0.24, 0.72, 0.07],
          [0.05, 0.82, 0.085],
          [0.3, 0.66, 0.06],
          [-0.05, 0.58, 0.055],
          [-0.4, 0.55, 0.04],
          [0.17, 0.53, 0.035],
        ] as const
      ).map(([x, y, r]) => part('#fbf5ea', oval([x, y], [r, r * 0.85]), { on: cap, bulge: 0.2 })),
    ]
  },
}

const apple: Noun = {
  words: ['apple', 'fruit'],
  home: 'land',
  indoor: true,
  color: '#d2352f',
  height: 0.22,
  width: 0.95,
  parts: () => [
    part(
      'main',
      blob([
        [0, 0.74],
        [0.2, 0.84],
        [0.42, 0.72],
        [0.46, 0.45],
        [0.33, 0.12],
        [0.14, 0.01],
        [0, 0.05],
        [-0.14, 0.01],
        [-0.33, 0.12],
        [-0.46, 0.45],
        [-0.42, 0.72],
        [-0.2, 0.84],
      ]),
      { bulge: 0.3 },
    ),
    part('#ffffff', oval([-0.22, 0.6], [0.06, 0.11], 0.08), { alpha: 0.4, blur: 0.05, bulge: 0 }),
    part(
      '#5a3b22',
      curve(
        [
          [0, 0.74],
          [0.01, 0.88],
          [0.07, 0.98],
        ],
        0.02,
      ),
      { bulge: 0.02 },
    ),
    part(
      '#5b9c48',
      placed(
        blob([
          [0, 0],
          [0.1, 0.07],
          [0.27, 0.03],
          [0.13, -0.05],
        ]),
        [0.03, 0.86],
        0.05,
      ),
      { bulge: 0.05 },
    ),
  ],
}

/** Flowers, fruit and other small plants. */
export const flowersAndFruit: readonly Noun[] = [flower, sunflower, mushroom, apple]
