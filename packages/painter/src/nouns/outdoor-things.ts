import { type Noun, part } from './part.js'
import { box, curve, cut, join, line, oval, poly } from './shapes.js'

const wood = '#8a5a33'
const steel = '#aab3bb'

const pyramid: Noun = {
  words: ['pyramid'],
  home: 'land',
  color: '#d9b36c',
  height: 0.5,
  width: 1.7,
  metres: 40,
  parts: () => {
    const front = poly([
      [-0.85, 0],
      [0.35, 0],
      [0, 1],
    ])
    return [
      part(
        'deep',
        poly([
          [0.35, 0],
          [0.85, 0.08],
          [0, 1],
        ]),
        { bulge: 0.02 },
      ),
      part('main', front, { bulge: 0.02 }),
      ...[0.14, 0.28, 0.42, 0.56, 0.7, 0.84].map((y) =>
        part('deep', line([-0.85, y], [0.4, y], 0.005), { on: front, bulge: 0, alpha: 0.5 }),
      ),
    ]
  },
}

const igloo: Noun = {
  words: ['igloo', 'snow hut'],
  home: 'land',
  color: '#eaf3fa',
  height: 0.36,
  width: 1.9,
  metres: 2,
  parts: () => {
    const dome = cut(oval([-0.1, 0], [0.8, 1]), box([0, -0.5], [2, 0.5]))
    return [
      part('main', dome, { bulge: 0.2 }),
      ...[0.22, 0.44, 0.66, 0.86].map((y) =>
        part('#a9c4da', box([-0.1, y], [0.9, 0.012]), { on: dome, bulge: 0, alpha: 0.8 }),
      ),
      ...[0, 1, 2, 3].flatMap((row) =>
        [-0.6, -0.3, 0, 0.3, 0.6].map((x) =>
          part('#a9c4da', box([x - 0.1 + (row % 2) * 0.15, 0.11 + row * 0.22], [0.012, 0.11]), {
            on: dome,
            bulge: 0,
            alpha: 0.8,
          }),
        ),
      ),
      part('main', cut(oval([0.5, 0], [0.42, 0.56]), box([0.5, -0.5], [1, 0.5])), { bulge: 0.1 }),
      part('#34506e', cut(oval([0.58, 0], [0.25, 0.4]), box([0.5, -0.5], [1, 0.5])), { bulge: 0.02 }),
    ]
  },
}

const submarine: Noun = {
  words: ['submarine'],
  home: 'water',
  color: '#f0b429',
  height: 0.34,
  width: 2.1,
  metres: 6,
  parts: () => [
    part(steel, line([0.1, 0.7], [0.1, 0.97], 0.025), { bulge: 0.03 }),
    part(steel, line([0.1, 0.97], [0.24, 0.97], 0.03), { bulge: 0.03 }),
    part('deep', box([-0.02, 0.68], [0.26, 0.14], 0.06), { bulge: 0.08 }),
    part(steel, box([-0.98, 0.33], [0.03, 0.24], 0.02), { bulge: 0.03 }),
    part('main', oval([0, 0.33], [0.98, 0.32]), { bulge: 0.2 }),
    ...[-0.45, 0, 0.45].flatMap((x) => [
      part(steel, oval([x, 0.36], 0.13), { bulge: 0.03 }),
      part('window', oval([x, 0.36], 0.09), { bulge: 0.03 }),
    ]),
  ],
}

const bush: Noun = {
  words: ['bush', 'shrub', 'hedge'],
  home: 'land',
  color: '#4f9a48',
  height: 0.26,
  width: 1.6,
  metres: 1.2,
  parts: (random) => [
    ...[-0.5, 0.5, -0.25, 0.25, 0].map((x, i) =>
      part('main', oval([x, 0.36 + i * 0.05], [0.34, 0.36]), { bulge: 0.2 }),
    ),
    ...Array.from({ length: 16 }, () => {
      const [x, y] = [random() * 1.2 - 0.6, 0.2 + random() * 0.5]
      return part(random() < 0.5 ? 'pale' : 'deep', oval([x, y], [0.05, 0.035]), { bulge: 0.02, alpha: 0.55 })
    }),
  ],
}

/** A tool with a long handle. */
function longTool(words: readonly string[], head: Noun['parts']): Noun {
  return {
    words,
    home: 'land',
    color: steel,
    height: 0.5,
    width: 0.4,
    metres: 1.3,
    indoor: 'either',
    parts: (random) => [part(wood, line([0, 0.2], [0, 0.98], 0.02), { bulge: 0.02 }), ...head(random)],
  }
}

const shovel = longTool(['shovel', 'spade'], () => [
  part(wood, box([0, 0.97], [0.08, 0.022], 0.02), { bulge: 0.02 }),
  part('main', join([box([0, 0.22], [0.1, 0.1], 0.02), oval([0, 0.12], [0.1, 0.12])]), { bulge: 0.04 }),
])

const rake = longTool(['rake', 'pitchfork'], () => [
  part('main', box([0, 0.19], [0.17, 0.018], 0.01), { bulge: 0.02 }),
  ...[-0.155, -0.093, -0.031, 0.031, 0.093, 0.155].map((x) =>
    part('main', line([x, 0.18], [x, 0.02], [0.013, 0.007]), { bulge: 0.01 }),
  ),
])

const starfish: Noun = {
  words: ['starfish', 'sea star'],
  home: 'land',
  color: '#e8763f',
  height: 0.3,
  width: 1,
  metres: 0.15,
  parts: () => [
    part(
      'main',
      join(
        (
          [
            [0, 0.98],
            [0.46, 0.64],
            [0.3, 0.06],
            [-0.3, 0.06],
            [-0.46, 0.64],
          ] as const
        ).map((tip) => line([0, 0.48], tip, [0.17, 0.04])),
        0.06,
      ),
      { bulge: 0.12 },
    ),
    ...(
      [
        [0, 0.72],
        [0.24, 0.56],
        [0.15, 0.28],
        [-0.15, 0.28],
        [-0.24, 0.56],
        [0, 0.48],
      ] as const
    ).map((at) => part('pale', oval(at, 0.035), { bulge: 0.02 })),
  ],
}

const wheelbarrow: Noun = {
  words: ['wheelbarrow', 'barrow'],
  home: 'land',
  color: '#3c9a45',
  height: 0.3,
  width: 1.9,
  metres: 0.7,
  parts: () => [
    part(wood, line([-0.9, 0.62], [0.6, 0.2], 0.035), { bulge: 0.04 }),
    part('#4a4f58', line([-0.35, 0.45], [-0.4, 0.03], 0.035), { bulge: 0.03 }),
    part('#2b2530', oval([0.62, 0.2], 0.2), { bulge: 0.06 }),
    part(steel, oval([0.62, 0.2], 0.1), { bulge: 0.04 }),
    part(
      'main',
      poly(
        [
          [-0.55, 0.92],
          [0.75, 0.92],
          [0.38, 0.42],
          [-0.3, 0.42],
        ],
        0.03,
      ),
      { bulge: 0.12 },
    ),
    part('deep', box([0.1, 0.93], [0.68, 0.035], 0.03), { bulge: 0.03 }),
  ],
}

const surfboard: Noun = {
  words: ['surfboard', 'surf board', 'paddleboard'],
  home: 'land',
  color: '#35b5c5',
  height: 0.55,
  width: 0.32,
  metres: 2,
  parts: () => {
    const board = oval([0, 0.5], [0.15, 0.5])
    return [
      part('main', board, { bulge: 0.08 }),
      part('#f6f1e6', box([0, 0.5], [0.02, 0.5]), { on: board, bulge: 0 }),
      part('#e2413b', box([0, 0.3], [0.2, 0.045]), { on: board, bulge: 0 }),
    ]
  },
}

const swing: Noun = {
  words: ['swing'],
  home: 'land',
  color: '#c8443c',
  height: 0.5,
  width: 1.1,
  metres: 2.3,
  parts: () => [
    ...[-1, 1].flatMap((side) => [
      part('main', line([side * 0.42, 0.97], [side * 0.54, 0], 0.025), { bulge: 0.03 }),
      part('deep', line([side * 0.42, 0.97], [side * 0.32, 0.03], 0.022), { bulge: 0.03 }),
    ]),
    part('main', line([-0.46, 0.97], [0.46, 0.97], 0.025), { bulge: 0.03 }),
    ...[-0.13, 0.13].map((x) => part('#6b6f76', line([x, 0.96], [x, 0.32], 0.009), { bulge: 0.01 })),
    part(wood, box([0, 0.31], [0.18, 0.022], 0.01), { bulge: 0.02 }),
  ],
}

const waterfall: Noun = {
  words: ['waterfall', 'cascade'],
  home: 'land',
  color: '#cfeaf7',
  height: 0.6,
  width: 1.3,
  metres: 15,
  parts: () => [
    part(
      '#6f6a63',
      poly(
        [
          [-0.62, 0],
          [0.62, 0],
          [0.52, 0.72],
          [0.34, 0.96],
          [-0.36, 0.94],
          [-0.54, 0.62],
        ],
        0.02,
      ),
      { bulge: 0.14 },
    ),
    part('#55923f', box([0, 0.93], [0.42, 0.05], 0.05), { bulge: 0.05 }),
    part(
      'main',
      poly([
        [-0.17, 0.95],
        [0.17, 0.95],
        [0.25, 0.06],
        [-0.25, 0.06],
      ]),
      { bulge: 0.05 },
    ),
    ...[-0.12, -0.04, 0.05, 0.13].map((x) =>
      part(
        '#ffffff',
        curve(
          [
            [x, 0.92],
            [x * 1.2, 0.5],
            [x * 1.4, 0.1],
          ],
          0.014,
        ),
        { bulge: 0, alpha: 0.7 },
      ),
    ),
    part('#6fb6dc', oval([0, 0.05], [0.6, 0.06]), { bulge: 0.02 }),
    part('#ffffff', oval([0, 0.08], [0.3, 0.05]), { bulge: 0, blur: 0.04, alpha: 0.8 }),
  ],
}

/** Things outside that the library of drawings lacks. */
export const outdoorThings: readonly Noun[] = [
  pyramid,
  igloo,
  submarine,
  bush,
  shovel,
  rake,
  starfish,
  wheelbarrow,
  surfboard,
  swing,
  waterfall,
]
