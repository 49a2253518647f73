import { type Noun, part } from './part.js'
import { blob, box, curve, join, line, oval, poly, ring } from './shapes.js'

const carBody = join([
  blob([
    [-0.98, 0.22],
    [-0.97, 0.5],
    [-0.7, 0.56],
    [-0.2, 0.58],
    [0.35, 0.56],
    [0.78, 0.5],
    [0.97, 0.38],
    [0.98, 0.22],
    [0.5, 0.17],
    [-0.5, 0.17],
  ]),
  blob([
    [-0.72, 0.52],
    [-0.48, 0.92],
    [-0.1, 0.99],
    [0.2, 0.92],
    [0.56, 0.54],
    [0, 0.48],
  ]),
])

const car: Noun = {
  words: ['car', 'taxi', 'automobile'],
  home: 'land',
  color: '#d3402f',
  height: 0.24,
  width: 2,
  parts: () => [
    part('main', carBody, { bulge: 0.14 }),
    part(
      '#8fb4cc',
      blob([
        [-0.52, 0.6],
        [-0.4, 0.84],
        [-0.12, 0.9],
        [-0.1, 0.6],
      ]),
      { bulge: 0.04 },
    ),
    part(
      '#8fb4cc',
      blob([
        [0, 0.6],
        [0, 0.9],
        [0.16, 0.86],
        [0.4, 0.6],
      ]),
      { bulge: 0.04 },
    ),
    part('deep', line([-0.05, 0.56], [-0.05, 0.26], 0.007), { bulge: 0 }),
    part('deep', line([-0.9, 0.38], [0.9, 0.38], 0.008), { bulge: 0 }),
    part('#e9e4da', line([0.04, 0.48], [0.14, 0.48], 0.016), { bulge: 0.01 }),
    part('#fff0b0', oval([0.9, 0.4], [0.06, 0.05]), { bulge: 0.02 }),
    part('#a31f1f', box([-0.95, 0.42], [0.03, 0.055], 0.02), { bulge: 0.02 }),
    ...[-0.55, 0.57].flatMap((x) => [
      part('#23232b', oval([x, 0.2], 0.2), { bulge: 0.06 }),
      part('#c9ccd2', oval([x, 0.2], 0.11), { bulge: 0.04 }),
      part('#5a5d66', oval([x, 0.2], 0.04), { bulge: 0.02 }),
    ]),
  ],
}

const bicycle: Noun = {
  words: ['bicycle', 'bike'],
  home: 'land',
  color: '#2f7fb8',
  height: 0.3,
  width: 1.65,
  parts: () => [
    ...[-0.5, 0.5].flatMap((x) => [
      ...[0, 0.125, 0.25, 0.375].map((turn) =>
        part('#b9bec6', oval([x, 0.31], [0.28, 0.006], turn), { bulge: 0 }),
      ),
      part('#26262e', ring([x, 0.31], 0.29, 0.028), { bulge: 0.03 }),
    ]),
    ...frame.map(([from, to]) => part('main', line(from, to, 0.025), { bulge: 0.025 })),
    part('#3a2d28', oval([-0.24, 0.86], [0.13, 0.035]), { bulge: 0.03 }),
    part(
      '#3a3d46',
      curve(
        [
          [0.34, 0.84],
          [0.32, 0.98],
          [0.48, 0.95],
        ],
        0.02,
      ),
      { bulge: 0.02 },
    ),
    part('#3a3d46', ring([-0.06, 0.28], 0.07, 0.018), { bulge: 0.02 }),
    part('#3a3d46', line([-0.06, 0.28], [0.04, 0.16], 0.014), { bulge: 0 }),
  ],
}

const frame = [
  [
    [-0.5, 0.31],
    [-0.06, 0.28],
  ],
  [
    [-0.5, 0.31],
    [-0.2, 0.68],
  ],
  [
    [-0.06, 0.28],
    [-0.24, 0.84],
  ],
  [
    [-0.2, 0.68],
    [0.37, 0.74],
  ],
  [
    [-0.06, 0.28],
    [0.37, 0.74],
  ],
  [
    [0.5, 0.31],
    [0.34, 0.86],
  ],
] as const

const train: Noun = {
  words: ['train', 'locomotive'],
  home: 'land',
  color: '#2f6b4f',
  height: 0.28,
  width: 2,
  parts: () => [
    part(
      '#2b2b33',
      poly(
        [
          [0.5, 0.66],
          [0.66, 0.66],
          [0.7, 0.98],
          [0.46, 0.98],
        ],
        0.01,
      ),
      { bulge: 0.05 },
    ),
    part('main', oval([0.12, 0.68], [0.1, 0.12]), { bulge: 0.06 }),
    part('main', box([0.25, 0.48], [0.6, 0.21], 0.12), { bulge: 0.16 }),
    part('#d9b24a', box([0.02, 0.48], [0.022, 0.21]), { bulge: 0 }),
    part('#d9b24a', box([0.42, 0.48], [0.022, 0.21]), { bulge: 0 }),
    part('main', box([-0.62, 0.6], [0.32, 0.33], 0.02), { bulge: 0.06 }),
    part('#2b2b33', box([-0.62, 0.95], [0.4, 0.045], 0.03), { bulge: 0.04 }),
    part('window', box([-0.76, 0.7], [0.11, 0.12], 0.02), { bulge: 0 }),
    part('window', box([-0.48, 0.7], [0.11, 0.12], 0.02), { bulge: 0 }),
    part('#fff0b0', oval([0.86, 0.56], 0.06), { bulge: 0.03 }),
    part('#8f2f2a', box([0, 0.26], [0.94, 0.05], 0.02), { bulge: 0.03 }),
    part(
      '#8f2f2a',
      poly(
        [
          [0.84, 0.26],
          [1, 0.06],
          [0.84, 0.06],
        ],
        0.01,
      ),
      { bulge: 0.03 },
    ),
    ...[
      [-0.66, 0.17],
      [-0.22, 0.17],
      [0.16, 0.13],
      [0.46, 0.13],
      [0.74, 0.13],
    ].flatMap(([x = 0, r = 0]) => [
      part('#23232b', oval([x, r], r), { bulge: 0.04 }),
      part('#c4463a', oval([x, r], r * 0.6), { bulge: 0.03 }),
      part('#e6c15a', oval([x, r], r * 0.22), { bulge: 0 }),
    ]),
  ],
}

const bus: Noun = {
  words: ['bus', 'coach', 'school bus', 'tram'],
  home: 'land',
  color: '#e8b52e',
  height: 0.3,
  width: 2.1,
  parts: () => [
    part('main', box([0, 0.56], [1.02, 0.42], 0.1), { bulge: 0.12 }),
    part('deep', box([0, 0.36], [1.02, 0.035]), { bulge: 0 }),
    ...[-0.76, -0.43, -0.1, 0.23].map((x) =>
      part('window', box([x, 0.7], [0.135, 0.14], 0.03), { bulge: 0.03 }),
    ),
    part('window', box([0.62, 0.6], [0.13, 0.28], 0.03), { bulge: 0.03 }),
    part('deep', line([0.62, 0.33], [0.62, 0.87], 0.012), { bulge: 0 }),
    part('window', box([0.94, 0.7], [0.07, 0.15], 0.02), { bulge: 0.02 }),
    part('#fff0b0', oval([0.97, 0.32], [0.045, 0.05]), { bulge: 0.02 }),
    ...[-0.6, 0.56].flatMap((x) => [
      part('#23232b', oval([x, 0.16], 0.16), { bulge: 0.05 }),
      part('#c9ccd2', oval([x, 0.16], 0.085), { bulge: 0.03 }),
    ]),
  ],
}

const truck: Noun = {
  words: ['truck', 'lorry', 'van', 'fire truck'],
  home: 'land',
  color: '#c9443a',
  height: 0.3,
  width: 2,
  parts: () => [
    part('#5a5d66', box([0, 0.24], [0.94, 0.05]), { bulge: 0.03 }),
    part('pale', box([-0.3, 0.62], [0.66, 0.36], 0.03), { bulge: 0.08 }),
    part('deep', line([-0.92, 0.5], [0.32, 0.5], 0.014), { bulge: 0 }),
    part(
      'main',
      blob([
        [0.4, 0.24],
        [0.4, 0.84],
        [0.66, 0.86],
        [0.84, 0.6],
        [0.97, 0.52],
        [0.98, 0.26],
      ]),
      { bulge: 0.1 },
    ),
    part(
      'window',
      poly(
        [
          [0.5, 0.54],
          [0.5, 0.77],
          [0.64, 0.77],
          [0.77, 0.54],
        ],
        0.02,
      ),
      { bulge: 0.03 },
    ),
    part('#fff0b0', oval([0.95, 0.38], [0.04, 0.05]), { bulge: 0.02 }),
    ...[-0.62, -0.2, 0.66].flatMap((x) => [
      part('#23232b', oval([x, 0.17], 0.17), { bulge: 0.05 }),
      part('#c9ccd2', oval([x, 0.17], 0.09), { bulge: 0.03 }),
    ]),
  ],
}

/** Land vehicles. */
export const vehicles: readonly Noun[] = [car, bus, truck, bicycle, train]
