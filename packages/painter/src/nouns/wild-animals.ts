import { eyes, ink, type Noun, part } from './part.js'
import { blob, box, curve, join, line, oval } from './shapes.js'

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

/** Large animals of forest and savanna. */
export const wildAnimals: readonly Noun[] = [bear, elephant]
