import { type Noun, part } from './part.js'
import { blob, box, curve, line, oval, poly } from './shapes.js'

const rocketBody = blob([
  [0, 1],
  [0.12, 0.84],
  [0.17, 0.62],
  [0.15, 0.4],
  [0.09, 0.23],
  [-0.09, 0.23],
  [-0.15, 0.4],
  [-0.17, 0.62],
  [-0.12, 0.84],
])

const rocket: Noun = {
  words: ['rocket', 'spaceship', 'spacecraft'],
  home: 'sky',
  color: '#d9433a',
  height: 0.5,
  width: 0.5,
  parts: () => [
    part(
      '#ff9a2e',
      blob([
        [-0.1, 0.2],
        [-0.13, 0.1],
        [0, -0.06],
        [0.13, 0.1],
        [0.1, 0.2],
      ]),
      { shines: true, blur: 0.02 },
    ),
    part(
      '#fff2b0',
      blob([
        [-0.06, 0.2],
        [-0.06, 0.13],
        [0, 0.03],
        [0.06, 0.13],
        [0.06, 0.2],
      ]),
      { shines: true, blur: 0.015 },
    ),
    ...[-1, 1].map((side) =>
      part(
        'main',
        blob([
          [side * 0.12, 0.42],
          [side * 0.24, 0.3],
          [side * 0.26, 0.12],
          [side * 0.18, 0.18],
          [side * 0.1, 0.22],
        ]),
        { bulge: 0.05 },
      ),
    ),
    part(
      '#5a5f6b',
      poly(
        [
          [-0.09, 0.24],
          [0.09, 0.24],
          [0.07, 0.18],
          [-0.07, 0.18],
        ],
        0.01,
      ),
      { bulge: 0.03 },
    ),
    part('#f3f1ec', rocketBody, { bulge: 0.13 }),
    part('main', box([0, 0.95], [0.3, 0.16]), { on: rocketBody, bulge: 0.13 }),
    part('main', box([0, 0.3], [0.3, 0.025]), { on: rocketBody, bulge: 0.13 }),
    part('#5a6474', oval([0, 0.6], 0.085), { bulge: 0.03 }),
    part('#8fd0ee', oval([0, 0.6], 0.06), { bulge: 0.05 }),
    part('main', line([0, 0.36], [0, 0.16], [0.02, 0.012]), { bulge: 0.02 }),
  ],
}

const airplane: Noun = {
  words: ['airplane', 'plane', 'aeroplane', 'aircraft', 'jet'],
  home: 'sky',
  color: '#3b78bd',
  height: 0.2,
  width: 2.3,
  parts: () => [
    part(
      'main',
      poly(
        [
          [-0.98, 0.52],
          [-0.78, 0.52],
          [-0.96, 0.98],
          [-1.12, 0.98],
        ],
        0.02,
      ),
      { bulge: 0.05 },
    ),
    part(
      'deep',
      poly(
        [
          [0.05, 0.55],
          [0.28, 0.55],
          [-0.12, 0.86],
          [-0.28, 0.86],
        ],
        0.02,
      ),
      { bulge: 0.04 },
    ),
    part(
      '#f5f3ee',
      blob([
        [-1.1, 0.55],
        [-0.7, 0.36],
        [0, 0.32],
        [0.8, 0.34],
        [1.08, 0.44],
        [0.85, 0.58],
        [0.4, 0.64],
        [-0.5, 0.62],
      ]),
      { bulge: 0.14 },
    ),
    ...[-0.55, -0.38, -0.21, -0.04, 0.13, 0.3, 0.47].map((x) =>
      part('window', box([x, 0.54], [0.035, 0.032], 0.02), { bulge: 0 }),
    ),
    part(
      'window',
      poly(
        [
          [0.76, 0.57],
          [0.93, 0.52],
          [0.88, 0.48],
          [0.76, 0.49],
        ],
        0.01,
      ),
      { bulge: 0.02 },
    ),
    part(
      'main',
      poly(
        [
          [0, 0.4],
          [0.32, 0.4],
          [-0.28, 0.04],
          [-0.46, 0.04],
        ],
        0.025,
      ),
      { bulge: 0.05 },
    ),
    part(
      'main',
      poly(
        [
          [-0.92, 0.5],
          [-0.74, 0.5],
          [-1.02, 0.3],
          [-1.14, 0.3],
        ],
        0.015,
      ),
      { bulge: 0.03 },
    ),
    part('#d9d6d0', oval([0.06, 0.22], [0.14, 0.065]), { bulge: 0.06 }),
  ],
}

const envelope = blob([
  [0, 1],
  [0.24, 0.93],
  [0.355, 0.72],
  [0.3, 0.5],
  [0.14, 0.27],
  [0, 0.25],
  [-0.14, 0.27],
  [-0.3, 0.5],
  [-0.355, 0.72],
  [-0.24, 0.93],
])

const hotAirBalloon: Noun = {
  words: ['hot air balloon'],
  home: 'sky',
  color: '#d9432f',
  height: 0.42,
  width: 0.72,
  parts: () => [
    ...[-0.06, 0.06].map((x) => part('#5b4636', line([x * 2.1, 0.26], [x, 0.13], 0.005), { bulge: 0 })),
    part('main', envelope, { bulge: 0.24 }),
    ...[-1, 1].map((side) => part('#f7e3b5', gore(side), { on: envelope, bulge: 0.24 })),
    part('#f7e3b5', oval([0, 0.6], [0.055, 0.45]), { on: envelope, bulge: 0.24 }),
    part('#8a5c34', box([0, 0.075], [0.075, 0.065], 0.02), { bulge: 0.04 }),
    part('#5f3d22', box([0, 0.135], [0.085, 0.014], 0.012), { bulge: 0.01 }),
  ],
}

function gore(side: number) {
  return curve(
    [
      [side * 0.06, 0.99],
      [side * 0.38, 0.7],
      [side * 0.08, 0.26],
    ],
    0.038,
  )
}

/** Aircraft and other flying vehicles. */
export const aircraft: readonly Noun[] = [rocket, airplane, hotAirBalloon]
