import { type Noun, part } from './part.js'
import { blob, box, line, oval, poly } from './shapes.js'

const mainsail = blob([
  [0.025, 0.24],
  [0.2, 0.225],
  [0.37, 0.25],
  [0.33, 0.42],
  [0.2, 0.68],
  [0.025, 0.95],
])

const hull = blob([
  [-0.43, 0.21],
  [-0.2, 0.19],
  [0.1, 0.19],
  [0.45, 0.225],
  [0.38, 0.1],
  [0.29, -0.01],
  [0, -0.025],
  [-0.31, -0.01],
  [-0.38, 0.1],
])

const sailboat: Noun = {
  words: ['sailboat', 'boat', 'sailing boat', 'sail boat', 'sailing ship', 'yacht'],
  home: 'water',
  color: '#c2453a',
  height: 0.5,
  width: 0.86,
  parts: () => [
    part('#6b4a2f', box([0, 0.58], [0.012, 0.4], 0.01), { bulge: 0.012 }),
    part('#fbf2df', mainsail, { bulge: 0.14 }),
    part('main', box([0.2, 0.39], [0.3, 0.045]), { on: mainsail, bulge: 0.14 }),
    part(
      'main',
      blob([
        [-0.03, 0.25],
        [-0.17, 0.235],
        [-0.31, 0.26],
        [-0.23, 0.5],
        [-0.03, 0.86],
      ]),
      { bulge: 0.12 },
    ),
    part('#6b4a2f', line([0, 0.225], [0.36, 0.235], 0.01), { bulge: 0.01 }),
    part(
      'main',
      poly(
        [
          [0.01, 0.985],
          [0.13, 0.96],
          [0.01, 0.935],
        ],
        0.004,
      ),
      { bulge: 0.02 },
    ),
    part('main', hull, { bulge: 0.1 }),
    part('#fbf2df', box([0, 0.165], [0.6, 0.016]), { on: hull, bulge: 0.1 }),
    part('#6b4a2f', box([-0.14, 0.215], [0.1, 0.025], 0.012), { bulge: 0.02 }),
  ],
}

const ship: Noun = {
  words: ['ship', 'ferry', 'steamer', 'cruise ship'],
  home: 'water',
  color: '#2d5b93',
  height: 0.34,
  width: 1.7,
  parts: () => [
    ...[-0.22, 0.1].flatMap((x) => [
      part(
        '#cf4a3c',
        poly([
          [x - 0.07, 0.6],
          [x + 0.07, 0.6],
          [x + 0.05, 0.95],
          [x - 0.09, 0.95],
        ]),
        { bulge: 0.05 },
      ),
      part('#2b2b33', box([x - 0.015, 0.93], [0.07, 0.03]), { bulge: 0.03 }),
    ]),
    part('#f4f1ea', box([-0.05, 0.48], [0.5, 0.13], 0.02), { bulge: 0.05 }),
    part('#f4f1ea', box([0.02, 0.64], [0.34, 0.06], 0.02), { bulge: 0.04 }),
    ...[-0.42, -0.28, -0.14, 0, 0.14, 0.28].map((x) =>
      part('window', box([x, 0.5], [0.045, 0.04], 0.012), { bulge: 0 }),
    ),
    part(
      'main',
      blob([
        [-0.8, 0.38],
        [-0.3, 0.36],
        [0.3, 0.36],
        [0.86, 0.46],
        [0.74, 0.2],
        [0.6, -0.02],
        [0, -0.04],
        [-0.68, -0.02],
        [-0.76, 0.2],
      ]),
      { bulge: 0.12 },
    ),
    ...[-0.45, -0.2, 0.05, 0.3].map((x) => part('window', oval([x, 0.2], 0.035), { bulge: 0 })),
  ],
}

/** Boats and ships. */
export const boats: readonly Noun[] = [sailboat, ship]
