import { type Noun, part } from './part.js'
import { box, curve, cut, join, line, oval, poly } from './shapes.js'

const steel = '#b9c2ca'
const dark = '#3a3f4a'

const microwave: Noun = {
  words: ['microwave', 'microwave oven'],
  home: 'land',
  color: '#d5dade',
  height: 0.26,
  width: 1.7,
  metres: 0.3,
  indoor: true,
  parts: () => [
    ...[-0.6, 0.6].map((x) => part(dark, box([x, 0.04], [0.08, 0.04], 0.01), { bulge: 0.02 })),
    part('main', box([0, 0.53], [0.84, 0.46], 0.05), { bulge: 0.08 }),
    part(dark, box([-0.2, 0.53], [0.54, 0.34], 0.04), { bulge: 0.03 }),
    part('window', box([-0.2, 0.53], [0.44, 0.25], 0.03), { bulge: 0.02, alpha: 0.7 }),
    part('deep', box([0.41, 0.53], [0.025, 0.3], 0.02), { bulge: 0.03 }),
    part('#2f6f5c', box([0.63, 0.78], [0.13, 0.07], 0.01), { bulge: 0 }),
    ...[0.56, 0.42].flatMap((y) =>
      [0.54, 0.63, 0.72].map((x) => part('deep', oval([x, y], 0.032), { bulge: 0.01 })),
    ),
    part('deep', oval([0.63, 0.24], 0.08), { bulge: 0.03 }),
  ],
}

const sink: Noun = {
  words: ['sink', 'washbasin', 'wash basin', 'tap', 'faucet'],
  home: 'land',
  color: '#f1f3f4',
  height: 0.44,
  width: 0.72,
  metres: 1.1,
  indoor: true,
  parts: () => [
    part(
      'deep',
      poly([
        [-0.1, 0],
        [0.1, 0],
        [0.07, 0.5],
        [-0.07, 0.5],
      ]),
      { bulge: 0.05 },
    ),
    part('main', cut(oval([0, 0.7], [0.33, 0.26]), box([0, 0.86], [0.5, 0.16])), { bulge: 0.07 }),
    part('main', box([0, 0.71], [0.36, 0.04], 0.03), { bulge: 0.04 }),
    part('#9fd0ea', oval([0, 0.715], [0.26, 0.018]), { bulge: 0 }),
    part(steel, line([0.16, 0.74], [0.16, 0.94], 0.028), { bulge: 0.02 }),
    part(
      steel,
      curve(
        [
          [0.16, 0.92],
          [0.04, 1.03],
          [0, 0.86],
        ],
        0.028,
      ),
      { bulge: 0.02 },
    ),
    part(steel, box([0.16, 0.96], [0.075, 0.018], 0.015), { bulge: 0.02 }),
    part('#bfe3f5', line([0, 0.83], [0, 0.73], 0.01), { bulge: 0, alpha: 0.8 }),
  ],
}

const curtain: Noun = {
  words: ['curtain', 'drape', 'blind'],
  home: 'land',
  color: '#b8433c',
  height: 0.62,
  width: 0.94,
  metres: 2.2,
  indoor: true,
  parts: () => [
    part('#8a6238', box([0, 0.97], [0.47, 0.018], 0.015), { bulge: 0.02 }),
    ...[-1, 1].flatMap((side) =>
      [0, 1, 2, 3].map((fold) => {
        const x = side * (0.12 + fold * 0.095)
        return part(
          fold % 2 ? 'deep' : 'main',
          poly([
            [x - 0.05, 0.96],
            [x + 0.05, 0.96],
            [x * 1.06 + 0.055, 0.01],
            [x * 1.06 - 0.055, 0.01],
          ]),
          { bulge: 0.06 },
        )
      }),
    ),
    ...[-0.28, 0.28].map((x) => part('#e3b23a', box([x, 0.4], [0.2, 0.02], 0.02), { bulge: 0.02 })),
  ],
}

const towel: Noun = {
  words: ['towel', 'blanket'],
  home: 'land',
  color: '#5f9fc9',
  height: 0.34,
  width: 1.1,
  metres: 0.3,
  indoor: true,
  parts: () => [
    ...[0, 1, 2].map((i) =>
      part(i === 1 ? 'pale' : 'main', box([0, 0.15 + i * 0.25], [0.52, 0.135], 0.12), { bulge: 0.12 }),
    ),
    ...[0.15, 0.4, 0.65].map((y) => part('#f6f1e6', box([0.3, y], [0.03, 0.12], 0.01), { bulge: 0 })),
  ],
}

const stairs: Noun = {
  words: ['staircase', 'stairs', 'stairway', 'step'],
  home: 'land',
  color: '#b88a5a',
  height: 0.56,
  width: 1.15,
  metres: 2.8,
  indoor: 'either',
  parts: () => {
    const steps = [0, 1, 2, 3, 4, 5]
    return [
      ...steps.map((i) =>
        part('main', box([-0.5 + i * 0.19 + 0.08, 0.055 * (i + 1)], [0.1, 0.055 * (i + 1)])),
      ),
      ...steps.map((i) =>
        part('pale', box([-0.43 + i * 0.19, 0.11 * (i + 1)], [0.112, 0.018], 0.01), { bulge: 0.02 }),
      ),
      ...steps.map((i) =>
        part(
          'deep',
          line([-0.43 + i * 0.19, 0.11 * (i + 1)], [-0.43 + i * 0.19, 0.11 * (i + 1) + 0.3], 0.014),
          {
            bulge: 0.02,
          },
        ),
      ),
      part('deep', line([-0.46, 0.41], [0.54, 0.98], 0.024), { bulge: 0.03 }),
    ]
  },
}

const fireplace: Noun = {
  words: ['fireplace', 'hearth', 'chimneypiece', 'heater'],
  home: 'land',
  color: '#b0664c',
  height: 0.46,
  width: 1.1,
  metres: 1.3,
  indoor: true,
  parts: () => {
    const opening = join([box([0, 0.3], [0.27, 0.3]), oval([0, 0.58], [0.27, 0.1])])
    const wall = cut(box([0, 0.45], [0.5, 0.45], 0.01), opening)
    const flame = (x: number, wide: number, tall: number) =>
      join([
        oval([x, 0.17], [wide, wide * 0.9]),
        poly([
          [x - wide * 0.95, 0.2],
          [x + wide * 0.95, 0.2],
          [x + wide * 0.1, tall],
        ]),
      ])
    return [
      part('#231a18', opening, { bulge: 0 }),
      part('#f2811d', flame(-0.05, 0.14, 0.54), { bulge: 0.03, shines: true }),
      part('#f2811d', flame(0.1, 0.1, 0.42), { bulge: 0.03, shines: true }),
      part('#ffd75e', flame(-0.02, 0.08, 0.36), { bulge: 0.02, shines: true }),
      ...[-1, 1].map((side) => part('#6b4530', line([-0.2, 0.06], [0.2, 0.06 + side * 0.03], 0.04))),
      part('main', wall, { bulge: 0.04 }),
      ...[0.08, 0.24, 0.4, 0.56, 0.72].flatMap((y, row) =>
        [-0.42, -0.33, 0.33, 0.42].map((x) =>
          part('deep', box([x + (row % 2) * 0.03 - 0.015, y], [0.04, 0.05], 0.01), {
            on: wall,
            bulge: 0.01,
            alpha: 0.5,
          }),
        ),
      ),
      part('pale', box([0, 0.94], [0.55, 0.05], 0.02), { bulge: 0.04 }),
    ]
  },
}

const blackboard: Noun = {
  words: ['blackboard', 'chalkboard', 'whiteboard'],
  home: 'land',
  color: '#2f5b4a',
  height: 0.46,
  width: 1.35,
  metres: 1.8,
  indoor: true,
  parts: () => [
    ...[-0.5, 0.5].map((x) => part('#9a6638', line([x, 0], [x, 0.4], 0.025), { bulge: 0.03 })),
    part('#9a6638', box([0, 0.62], [0.67, 0.38], 0.02), { bulge: 0.04 }),
    part('main', box([0, 0.62], [0.62, 0.33], 0.01), { bulge: 0.01 }),
    ...[0.78, 0.64, 0.5].map((y, i) =>
      part('#eef3ee', line([-0.5, y], [0.3 - i * 0.18, y], 0.011), { bulge: 0, alpha: 0.85 }),
    ),
    part('#9a6638', box([0, 0.25], [0.6, 0.02], 0.01), { bulge: 0.02 }),
    part('#f6f1e6', box([0.3, 0.285], [0.05, 0.014], 0.01), { bulge: 0.01 }),
  ],
}

const iron: Noun = {
  words: ['iron', 'steam iron', 'flat iron'],
  home: 'land',
  color: '#3f7fc4',
  height: 0.3,
  width: 1.5,
  metres: 0.15,
  indoor: true,
  parts: () => [
    part(
      'main',
      poly(
        [
          [-0.62, 0.14],
          [0.6, 0.14],
          [0.5, 0.34],
          [0.05, 0.52],
          [-0.55, 0.52],
        ],
        0.03,
      ),
      { bulge: 0.1 },
    ),
    part('deep', cut(box([-0.2, 0.68], [0.42, 0.28], 0.16), box([-0.14, 0.64], [0.3, 0.14], 0.1)), {
      bulge: 0.08,
    }),
    part(
      steel,
      poly(
        [
          [-0.64, 0.02],
          [0.72, 0.02],
          [0.6, 0.14],
          [-0.64, 0.14],
        ],
        0.015,
      ),
      { bulge: 0.03 },
    ),
    part('#f6f1e6', oval([-0.1, 0.36], 0.09), { bulge: 0.03 }),
  ],
}

const vacuumCleaner: Noun = {
  words: ['vacuum cleaner', 'vacuum', 'hoover'],
  home: 'land',
  color: '#c8443c',
  height: 0.44,
  width: 1.15,
  metres: 1,
  indoor: true,
  parts: () => [
    part(dark, line([0.5, 0.05], [0.2, 0.9], 0.028), { bulge: 0.03 }),
    part(dark, box([0.46, 0.035], [0.14, 0.035], 0.02), { bulge: 0.03 }),
    part(
      dark,
      curve(
        [
          [0.2, 0.9],
          [-0.45, 1.1],
          [-0.3, 0.4],
        ],
        0.032,
      ),
      { bulge: 0.03 },
    ),
    part('main', join([oval([-0.28, 0.24], [0.29, 0.19]), box([-0.2, 0.16], [0.3, 0.1], 0.06)], 0.04), {
      bulge: 0.12,
    }),
    part('pale', oval([-0.22, 0.3], [0.12, 0.06]), { bulge: 0.03 }),
    part(dark, oval([-0.4, 0.1], 0.1), { bulge: 0.05 }),
    part(steel, oval([-0.4, 0.1], 0.045), { bulge: 0.02 }),
    part(dark, oval([0.02, 0.05], 0.05), { bulge: 0.03 }),
  ],
}

const fishbowl: Noun = {
  words: [
    'fishbowl',
    'fish bowl',
    'fish tank',
    'goldfish bowl',
    'goldfish in a bowl',
    'goldfish in a fish bowl',
    'fish in a bowl',
    'fish in a fish bowl',
  ],
  home: 'land',
  color: '#f2811d',
  height: 0.36,
  width: 1.1,
  metres: 0.3,
  indoor: true,
  parts: () => {
    const glass = cut(oval([0, 0.48], [0.52, 0.48]), box([0, 1], [0.6, 0.1]))
    return [
      part('#cfe6f2', glass, { bulge: 0.08, alpha: 0.75 }),
      part('#6fb6dc', cut(oval([0, 0.48], [0.47, 0.43]), box([0, 0.95], [0.6, 0.2])), {
        bulge: 0.03,
        alpha: 0.85,
      }),
      part('#dcc79a', cut(oval([0, 0.44], [0.45, 0.39]), box([0, 0.66], [0.6, 0.5])), { bulge: 0.02 }),
      ...[-0.25, -0.2, 0.3].map((x, i) =>
        part('#3c9a45', line([x, 0.14], [x + 0.03, 0.4 + i * 0.05], [0.02, 0.008]), { bulge: 0.01 }),
      ),
      part('main', join([oval([0.02, 0.5], [0.16, 0.1])]), { bulge: 0.06 }),
      part(
        'main',
        poly([
          [0.15, 0.5],
          [0.29, 0.6],
          [0.29, 0.4],
        ]),
        { bulge: 0.03 },
      ),
      part('#2b2530', oval([-0.08, 0.53], 0.016), { bulge: 0 }),
      part('#ffffff', line([-0.38, 0.6], [-0.3, 0.76], 0.018), { bulge: 0, alpha: 0.6 }),
      part('#e6f2f8', oval([0, 0.9], [0.26, 0.025]), { bulge: 0.02, alpha: 0.8 }),
    ]
  },
}

/** Fixtures and devices of a household that the library of drawings lacks. */
export const fixtures: readonly Noun[] = [
  microwave,
  sink,
  curtain,
  towel,
  stairs,
  fireplace,
  blackboard,
  iron,
  vacuumCleaner,
  fishbowl,
]
