import { type Noun, part } from './part.js'
import { blob, curve, oval } from './shapes.js'

const ink = '#2b2530'

const fish: Noun = {
  words: ['fish', 'goldfish'],
  home: 'water',
  color: '#f28a2a',
  height: 0.2,
  width: 1.7,
  parts: () => [
    part(
      'deep',
      blob([
        [-0.5, 0.5],
        [-0.72, 0.78],
        [-0.9, 0.86],
        [-0.8, 0.5],
        [-0.9, 0.14],
        [-0.72, 0.22],
      ]),
      { bulge: 0.08 },
    ),
    part(
      'deep',
      blob([
        [-0.3, 0.72],
        [-0.12, 0.98],
        [0.22, 0.95],
        [0.36, 0.7],
      ]),
      { bulge: 0.06 },
    ),
    part(
      'deep',
      blob([
        [-0.15, 0.28],
        [-0.2, 0.04],
        [0.02, 0.06],
        [0.16, 0.26],
      ]),
      { bulge: 0.06 },
    ),
    part('main', fishBody, { bulge: 0.2 }),
    ...[0.28, -0.12].map((x) =>
      part(
        '#fff6e6',
        curve(
          [
            [x, 0.95],
            [x - 0.1, 0.5],
            [x, 0.05],
          ],
          0.05,
        ),
        { on: fishBody, bulge: 0.2 },
      ),
    ),
    part(
      'deep',
      blob([
        [0.16, 0.52],
        [-0.02, 0.6],
        [-0.1, 0.44],
        [0.04, 0.36],
      ]),
      { bulge: 0.05 },
    ),
    part('#ffffff', oval([0.5, 0.58], 0.068), { bulge: 0.02 }),
    part(ink, oval([0.515, 0.58], 0.042), { bulge: 0 }),
    part('#ffffff', oval([0.5, 0.6], 0.013), { bulge: 0 }),
    part(
      ink,
      curve(
        [
          [0.68, 0.46],
          [0.62, 0.42],
          [0.57, 0.44],
        ],
        0.008,
      ),
      { bulge: 0 },
    ),
  ],
}

const fishBody = blob([
  [-0.58, 0.5],
  [-0.3, 0.72],
  [0.1, 0.84],
  [0.45, 0.76],
  [0.7, 0.5],
  [0.45, 0.26],
  [0.1, 0.16],
  [-0.3, 0.28],
])

const whale: Noun = {
  words: ['whale', 'dolphin'],
  home: 'water',
  color: '#3f6fa0',
  height: 0.3,
  width: 1.9,
  parts: () => [
    part(
      '#dff1fa',
      curve(
        [
          [0.34, 0.62],
          [0.3, 0.86],
          [0.14, 0.98],
        ],
        [0.025, 0.045],
      ),
      { bulge: 0, alpha: 0.8 },
    ),
    part(
      '#dff1fa',
      curve(
        [
          [0.34, 0.62],
          [0.38, 0.86],
          [0.54, 0.98],
        ],
        [0.025, 0.045],
      ),
      { bulge: 0, alpha: 0.8 },
    ),
    part(
      'main',
      blob([
        [-0.62, 0.3],
        [-0.76, 0.56],
        [-1, 0.7],
        [-0.84, 0.76],
        [-0.72, 0.72],
        [-0.6, 0.86],
        [-0.5, 0.84],
        [-0.58, 0.62],
        [-0.48, 0.4],
      ]),
      { bulge: 0.08 },
    ),
    part(
      'main',
      blob([
        [-0.6, 0.36],
        [-0.3, 0.4],
        [0, 0.58],
        [0.4, 0.62],
        [0.78, 0.48],
        [0.84, 0.14],
        [0.7, -0.08],
        [0, -0.12],
        [-0.45, -0.06],
      ]),
      { bulge: 0.24 },
    ),
    part(
      '#dfe8ee',
      blob([
        [0.83, 0.18],
        [0.5, 0.17],
        [0.1, 0.12],
        [-0.2, 0.02],
        [0, -0.1],
        [0.68, -0.08],
      ]),
      { bulge: 0.08 },
    ),
    part(
      'deep',
      blob([
        [0.3, 0.12],
        [0.18, 0.02],
        [-0.06, -0.06],
        [0.06, 0.1],
        [0.16, 0.16],
      ]),
      { bulge: 0.06 },
    ),
    part(ink, oval([0.6, 0.28], 0.027), { bulge: 0 }),
    part('#ffffff', oval([0.592, 0.29], 0.009), { bulge: 0 }),
  ],
}

/** Animals of the sea. */
export const seaAnimals: readonly Noun[] = [fish, whale]
