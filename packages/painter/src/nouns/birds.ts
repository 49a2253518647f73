import { type Noun, part } from './part.js'
import { blob, curve, join, oval, poly } from './shapes.js'

const ink = '#2b2530'

const bird: Noun = {
  words: ['bird', 'seagull', 'gull', 'sparrow', 'parrot'],
  home: 'sky',
  color: '#3d7fc9',
  height: 0.17,
  width: 1.6,
  parts: () => [
    part(
      'deep',
      blob([
        [-0.05, 0.45],
        [0.06, 0.75],
        [0.3, 1],
        [0.28, 0.7],
        [0.2, 0.4],
      ]),
      { bulge: 0.08 },
    ),
    part(
      'deep',
      poly(
        [
          [-0.45, 0.4],
          [-0.82, 0.46],
          [-0.76, 0.36],
          [-0.84, 0.28],
          [-0.4, 0.26],
        ],
        0.02,
      ),
      { bulge: 0.05 },
    ),
    part(
      'main',
      blob([
        [-0.5, 0.34],
        [-0.2, 0.47],
        [0.15, 0.52],
        [0.42, 0.55],
        [0.6, 0.42],
        [0.42, 0.24],
        [0.1, 0.14],
        [-0.25, 0.18],
      ]),
      { bulge: 0.16 },
    ),
    part(
      'pale',
      blob([
        [0.5, 0.34],
        [0.38, 0.25],
        [0.1, 0.16],
        [-0.2, 0.2],
        [0.1, 0.27],
      ]),
      { bulge: 0.08 },
    ),
    part(
      'main',
      blob([
        [-0.16, 0.42],
        [-0.22, 0.72],
        [-0.42, 0.98],
        [-0.08, 0.9],
        [0.14, 0.66],
        [0.2, 0.44],
        [0.04, 0.34],
      ]),
      { bulge: 0.1 },
    ),
    part(
      'pale',
      curve(
        [
          [-0.3, 0.9],
          [-0.05, 0.75],
          [0.08, 0.5],
        ],
        [0.008, 0.014],
      ),
      { bulge: 0 },
    ),
    part(
      'pale',
      curve(
        [
          [-0.16, 0.87],
          [0.02, 0.74],
          [0.13, 0.52],
        ],
        [0.008, 0.014],
      ),
      { bulge: 0 },
    ),
    part(
      '#f0a63a',
      poly(
        [
          [0.575, 0.47],
          [0.76, 0.41],
          [0.575, 0.37],
        ],
        0.012,
      ),
      { bulge: 0.04 },
    ),
    part('#ffffff', oval([0.45, 0.455], 0.036), { bulge: 0 }),
    part(ink, oval([0.46, 0.455], 0.025), { bulge: 0 }),
  ],
}

const duck: Noun = {
  words: ['duck', 'duckling', 'swan', 'goose'],
  home: 'water',
  color: '#f4c534',
  height: 0.22,
  width: 1.15,
  parts: () => [
    part(
      'main',
      blob([
        [-0.42, 0.3],
        [-0.62, 0.52],
        [-0.4, 0.46],
        [-0.1, 0.44],
        [0.2, 0.44],
        [0.4, 0.3],
        [0.34, 0.06],
        [0, -0.04],
        [-0.34, 0.04],
      ]),
      { bulge: 0.18 },
    ),
    part('main', join([oval([0.26, 0.76], [0.2, 0.2]), oval([0.22, 0.45], [0.15, 0.22])], 0.12), {
      bulge: 0.16,
    }),
    part('#ee8430', join([oval([0.5, 0.71], [0.11, 0.045]), oval([0.42, 0.71], [0.06, 0.06])], 0.05), {
      bulge: 0.05,
    }),
    part(
      'deep',
      blob([
        [0.1, 0.34],
        [-0.14, 0.42],
        [-0.46, 0.4],
        [-0.38, 0.2],
        [-0.1, 0.12],
        [0.1, 0.18],
      ]),
      { bulge: 0.1 },
    ),
    part(ink, oval([0.31, 0.81], 0.034), { bulge: 0 }),
    part('#ffffff', oval([0.3, 0.823], 0.011), { bulge: 0 }),
  ],
}

const penguin: Noun = {
  words: ['penguin'],
  home: 'land',
  color: '#2d3546',
  height: 0.32,
  width: 0.65,
  parts: () => [
    ...[-0.12, 0.12].map((x) => part('#f09a35', oval([x, 0.035], [0.115, 0.04]), { bulge: 0.04 })),
    part('main', join([oval([0, 0.36], [0.27, 0.34]), oval([0, 0.76], [0.2, 0.2])], 0.14), { bulge: 0.18 }),
    part(
      '#f7f5ef',
      join(
        [oval([0, 0.31], [0.2, 0.26]), oval([-0.075, 0.74], [0.085, 0.1]), oval([0.075, 0.74], [0.085, 0.1])],
        0.06,
      ),
      { bulge: 0.1 },
    ),
    part('main', oval([-0.28, 0.38], [0.06, 0.21], -0.05), { bulge: 0.06 }),
    part('main', oval([0.28, 0.38], [0.06, 0.21], 0.05), { bulge: 0.06 }),
    ...[-0.075, 0.075].map((x) => part(ink, oval([x, 0.77], [0.024, 0.03]), { bulge: 0 })),
    part(
      '#f09a35',
      poly(
        [
          [-0.05, 0.71],
          [0.05, 0.71],
          [0, 0.64],
        ],
        0.015,
      ),
      { bulge: 0.04 },
    ),
  ],
}

const owl: Noun = {
  words: ['owl'],
  home: 'land',
  color: '#94693f',
  height: 0.3,
  width: 0.7,
  parts: () => [
    ...[-0.1, 0.1].map((x) => part('#e8a33a', oval([x, 0.04], [0.07, 0.045]), { bulge: 0.03 })),
    part('main', join([oval([0, 0.36], [0.29, 0.32]), oval([0, 0.7], [0.27, 0.22])], 0.12), { bulge: 0.2 }),
    ...[-1, 1].map((side) =>
      part(
        'main',
        poly(
          [
            [side * 0.09, 0.88],
            [side * 0.26, 0.98],
            [side * 0.25, 0.78],
          ],
          0.012,
        ),
        { bulge: 0.05 },
      ),
    ),
    part('pale', oval([0, 0.31], [0.18, 0.23]), { bulge: 0.08 }),
    ...[0.42, 0.33, 0.24, 0.15].flatMap((y) =>
      [-0.09, 0, 0.09].map((x) =>
        part(
          'main',
          curve(
            [
              [x - 0.03, y + 0.02],
              [x, y - 0.025],
              [x + 0.03, y + 0.02],
            ],
            0.008,
          ),
          { bulge: 0, alpha: 0.7 },
        ),
      ),
    ),
    ...[-1, 1].flatMap((side) => [
      part(
        'deep',
        blob([
          [side * 0.2, 0.55],
          [side * 0.33, 0.4],
          [side * 0.3, 0.14],
          [side * 0.2, 0.1],
          [side * 0.17, 0.35],
        ]),
        { bulge: 0.07 },
      ),
      part('#fbf3dc', oval([side * 0.115, 0.72], 0.115), { bulge: 0.05 }),
      part('#f2a93b', oval([side * 0.105, 0.72], 0.072), { bulge: 0.02 }),
      part(ink, oval([side * 0.1, 0.72], 0.045), { bulge: 0 }),
      part('#ffffff', oval([side * 0.1 - 0.016, 0.738], 0.014), { bulge: 0 }),
    ]),
    part(
      '#e8a33a',
      poly(
        [
          [-0.035, 0.67],
          [0.035, 0.67],
          [0, 0.59],
        ],
        0.012,
      ),
      { bulge: 0.03 },
    ),
  ],
}

/** Birds, including flightless ones. */
export const birds: readonly Noun[] = [bird, duck, penguin, owl]
