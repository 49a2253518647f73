import { eyes, ink, type Noun, part } from './part.js'
import { blob, box, curve, join, line, oval, type Point, poly } from './shapes.js'

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

/** Small animals of pond and garden. */
export const smallAnimals: readonly Noun[] = [frog, turtle, bee]
