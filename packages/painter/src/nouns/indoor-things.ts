import { type Noun, part } from './part.js'
import { blob, box, curve, cut, join, line, oval, poly, ring } from './shapes.js'

const wardrobe: Noun = {
  words: ['wardrobe', 'closet', 'cupboard'],
  home: 'land',
  color: '#9a6638',
  height: 0.5,
  width: 0.74,
  metres: 2,
  indoor: true,
  parts: () => [
    ...[-0.28, 0.28].map((x) => part('deep', box([x, 0.03], [0.04, 0.03], 0.01), { bulge: 0.02 })),
    part('main', box([0, 0.51], [0.35, 0.46], 0.02), { bulge: 0.05 }),
    part('deep', box([0, 0.96], [0.37, 0.035], 0.02), { bulge: 0.03 }),
    ...[-0.17, 0.17].flatMap((x) => [
      part('pale', box([x, 0.51], [0.145, 0.4], 0.02), { bulge: 0.03, alpha: 0.55 }),
      part('main', box([x, 0.51], [0.11, 0.36], 0.02), { bulge: 0.04 }),
    ]),
    part('#3d2a1c', box([0, 0.5], [0.006, 0.42]), { bulge: 0 }),
    ...[-0.03, 0.03].map((x) => part('#e9cf8a', oval([x, 0.5], [0.012, 0.035]), { bulge: 0.01 })),
  ],
}

const shelf: Noun = {
  words: ['shelf', 'bookshelf', 'bookcase', 'shelves', 'rack'],
  home: 'land',
  color: '#a5713f',
  height: 0.48,
  width: 0.8,
  metres: 1.8,
  indoor: true,
  parts: () => {
    const books = ['#b8433c', '#3f6fa8', '#4f8f56', '#d9a23c', '#7a568f', '#c9c1b2', '#8d4a2f'] as const
    return [
      part('deep', box([0, 0.5], [0.38, 0.49], 0.01), { bulge: 0.02 }),
      ...[0.06, 0.36, 0.66].flatMap((y, row) =>
        books.map((fill, i) =>
          part(
            books[(i + row * 2) % books.length] ?? fill,
            box(
              [-0.28 + i * 0.085, y + 0.1 + ((i * 3 + row) % 3) * 0.012],
              [0.036, 0.095 + ((i * 3 + row) % 3) * 0.012],
              0.006,
            ),
            { bulge: 0.02 },
          ),
        ),
      ),
      ...[0.03, 0.345, 0.645, 0.97].map((y) =>
        part('main', box([0, y], [0.4, 0.025], 0.01), { bulge: 0.02 }),
      ),
      ...[-0.38, 0.38].map((x) => part('main', box([x, 0.5], [0.025, 0.5], 0.01), { bulge: 0.02 })),
    ]
  },
}

const pillow: Noun = {
  words: ['pillow', 'cushion'],
  home: 'land',
  color: '#8fb3dc',
  height: 0.22,
  width: 1.5,
  metres: 0.25,
  indoor: true,
  parts: () => [
    part(
      'main',
      blob([
        [-0.72, 0.06],
        [-0.62, 0.5],
        [-0.7, 0.92],
        [0, 0.86],
        [0.7, 0.92],
        [0.62, 0.5],
        [0.72, 0.06],
        [0, 0.1],
      ]),
      { bulge: 0.34 },
    ),
    part(
      'pale',
      curve(
        [
          [-0.66, 0.86],
          [0, 0.78],
          [0.66, 0.86],
        ],
        0.012,
      ),
      { bulge: 0, alpha: 0.6 },
    ),
    part(
      'deep',
      curve(
        [
          [-0.5, 0.2],
          [-0.4, 0.32],
          [-0.42, 0.48],
        ],
        0.012,
      ),
      { bulge: 0, alpha: 0.5 },
    ),
  ],
}

const carpet: Noun = {
  words: ['carpet', 'rug', 'mat', 'doormat'],
  home: 'land',
  color: '#b2403a',
  height: 0.16,
  width: 4.2,
  metres: 0.16,
  indoor: true,
  shadowless: true,
  seat: 0.4,
  parts: () => {
    const flat = (wide: number, inset: number) =>
      poly([
        [-wide, inset],
        [wide, inset],
        [wide * 0.82, 1 - inset],
        [-wide * 0.82, 1 - inset],
      ])
    return [
      ...Array.from({ length: 15 }, (_, i) => -1.96 + i * 0.28).map((x) =>
        part('#efe3c4', line([x, 0.06], [x * 1.02, -0.02], 0.02), { bulge: 0 }),
      ),
      part('main', flat(2, 0.04), { bulge: 0.04 }),
      part('#efd9a0', flat(1.78, 0.14), { bulge: 0.02 }),
      part('deep', flat(1.66, 0.2), { bulge: 0.02 }),
      ...[-0.9, 0, 0.9].map((x) =>
        part(
          '#efd9a0',
          poly([
            [x - 0.34, 0.5],
            [x, 0.26],
            [x + 0.34, 0.5],
            [x, 0.76],
          ]),
          { bulge: 0.02 },
        ),
      ),
    ]
  },
}

const bottle: Noun = {
  words: ['bottle', 'water bottle', 'wine bottle', 'bottle of water', 'bottle of wine', 'flacon'],
  home: 'land',
  color: '#3f8a5c',
  height: 0.42,
  width: 0.32,
  metres: 0.3,
  indoor: true,
  parts: () => {
    const glass = join(
      [
        box([0, 0.33], [0.15, 0.33], 0.05),
        oval([0, 0.64], [0.15, 0.12]),
        box([0, 0.82], [0.052, 0.15], 0.02),
      ],
      0.05,
    )
    return [
      part('main', glass, { bulge: 0.09 }),
      part('#f4ecd8', box([0, 0.34], [0.15, 0.13]), { on: glass, bulge: 0.09 }),
      part('deep', box([0, 0.38], [0.1, 0.018]), { on: glass, bulge: 0 }),
      part('deep', box([0, 0.31], [0.07, 0.012]), { on: glass, bulge: 0 }),
      part('#ffffff', line([-0.09, 0.56], [-0.09, 0.64], 0.014), { bulge: 0, alpha: 0.5 }),
      part('#b9834e', box([0, 0.975], [0.045, 0.03], 0.01), { bulge: 0.02 }),
    ]
  },
}

const fork: Noun = {
  words: ['fork'],
  home: 'land',
  color: '#b4b8c2',
  height: 0.42,
  width: 0.24,
  metres: 0.2,
  indoor: true,
  parts: () => [
    part(
      'main',
      join(
        [
          ...[-0.09, -0.03, 0.03, 0.09].map((x) => line([x, 0.74], [x, 0.98], 0.017)),
          blob([
            [-0.108, 0.76],
            [-0.1, 0.64],
            [-0.03, 0.55],
            [0.03, 0.55],
            [0.1, 0.64],
            [0.108, 0.76],
            [0, 0.75],
          ]),
          line([0, 0.58], [0, 0.04], [0.022, 0.04]),
        ],
        0.02,
      ),
      { bulge: 0.03 },
    ),
  ],
}

const piano: Noun = {
  words: ['piano', 'grand piano', 'organ', 'harpsichord'],
  home: 'land',
  color: '#33303a',
  height: 0.42,
  width: 1.36,
  metres: 1.3,
  indoor: true,
  seat: 0.98,
  parts: () => [
    ...[-0.56, 0.56].map((x) => part('deep', box([x, 0.2], [0.05, 0.2], 0.02), { bulge: 0.04 })),
    part('main', box([0, 0.7], [0.64, 0.28], 0.03), { bulge: 0.06 }),
    part('deep', box([0, 0.2], [0.5, 0.2], 0.02), { bulge: 0.04 }),
    part('pale', box([0, 0.78], [0.52, 0.14], 0.02), { bulge: 0.03, alpha: 0.35 }),
    part('main', box([0, 0.445], [0.68, 0.065], 0.02), { bulge: 0.05 }),
    part('#f6f3ec', box([0, 0.5], [0.58, 0.05], 0.006), { bulge: 0.01 }),
    ...Array.from({ length: 15 }, (_, i) =>
      part('#8d8a86', box([-0.54 + i * 0.077, 0.5], [0.004, 0.05]), { bulge: 0 }),
    ),
    ...[0, 1, 3, 4, 5, 7, 8, 10, 11, 12].map((i) =>
      part('#1f1c24', box([-0.54 + i * 0.077, 0.518], [0.021, 0.033], 0.004), { bulge: 0.01 }),
    ),
    part('#efe9dc', box([0, 0.76], [0.16, 0.11], 0.01), { bulge: 0.02 }),
    ...[-0.03, 0.02, 0.07].map((y) => part('#9a948a', box([0, 0.74 + y], [0.12, 0.005]), { bulge: 0 })),
  ],
}

const belt: Noun = {
  words: ['belt', 'leather belt'],
  home: 'land',
  color: '#7a4a2a',
  height: 0.3,
  width: 1.4,
  metres: 0.3,
  indoor: true,
  parts: () => [
    part('deep', cut(oval([0, 0.52], [0.62, 0.42]), oval([0, 0.5], [0.56, 0.34])), { bulge: 0.04 }),
    part('main', cut(oval([0, 0.46], [0.68, 0.44]), oval([0, 0.66], [0.66, 0.44])), { bulge: 0.06 }),
    part('main', line([0.44, 0.22], [0.68, 0.12], [0.1, 0.085]), { bulge: 0.05 }),
    ...[0.5, 0.57, 0.64].map((x) => part('#3a2416', oval([x, 0.335 - x * 0.31], 0.014), { bulge: 0 })),
    part('#e6c765', cut(box([0.26, 0.16], [0.13, 0.15], 0.03), box([0.26, 0.16], [0.085, 0.105], 0.02)), {
      bulge: 0.03,
    }),
    part('#e6c765', line([0.2, 0.17], [0.36, 0.15], 0.018), { bulge: 0.02 }),
  ],
}

const skirt: Noun = {
  words: ['skirt', 'miniskirt', 'kilt'],
  home: 'land',
  color: '#c0507e',
  height: 0.36,
  width: 0.95,
  metres: 0.6,
  indoor: true,
  parts: () => {
    const cloth = blob([
      [-0.2, 0.92],
      [-0.32, 0.5],
      [-0.46, 0.08],
      [-0.2, 0.02],
      [0, 0.05],
      [0.2, 0.02],
      [0.46, 0.08],
      [0.32, 0.5],
      [0.2, 0.92],
    ])
    return [
      part('main', cloth, { bulge: 0.12 }),
      ...[-0.2, -0.07, 0.07, 0.2].map((x) =>
        part('deep', line([x * 0.7, 0.82], [x * 1.5, 0.08], [0.006, 0.018]), {
          on: cloth,
          bulge: 0,
          alpha: 0.7,
        }),
      ),
      part('deep', box([0, 0.94], [0.22, 0.05], 0.02), { bulge: 0.03 }),
    ]
  },
}

const fridge: Noun = {
  words: ['fridge', 'refrigerator', 'freezer'],
  home: 'land',
  color: '#e6e9ee',
  height: 0.5,
  width: 0.5,
  metres: 1.8,
  indoor: true,
  parts: () => [
    ...[-0.18, 0.18].map((x) => part('#4b4b52', box([x, 0.02], [0.03, 0.02]), { bulge: 0.01 })),
    part('main', box([0, 0.51], [0.25, 0.48], 0.035), { bulge: 0.06 }),
    part('#9aa3ad', box([0, 0.66], [0.25, 0.006]), { bulge: 0 }),
    part('#8d97a3', line([-0.18, 0.71], [-0.18, 0.84], 0.014), { bulge: 0.012 }),
    part('#8d97a3', line([-0.18, 0.42], [-0.18, 0.61], 0.014), { bulge: 0.012 }),
  ],
}

const stove: Noun = {
  words: ['stove', 'oven', 'cooker'],
  home: 'land',
  color: '#dfe2e6',
  height: 0.36,
  width: 0.86,
  metres: 0.9,
  indoor: true,
  parts: () => [
    part('main', box([0, 0.5], [0.43, 0.5], 0.03), { bulge: 0.06 }),
    part('#4b4f58', box([0, 0.97], [0.43, 0.025], 0.01), { bulge: 0.02 }),
    ...[-0.28, -0.1, 0.1, 0.28].map((x) => part('#4b4f58', oval([x, 0.86], 0.036), { bulge: 0.03 })),
    part('#3a3f4a', box([0, 0.42], [0.33, 0.26], 0.04), { bulge: 0.04 }),
    part('#8a5a3a', box([0, 0.38], [0.27, 0.17], 0.03), { bulge: 0.06 }),
    part('#c7ccd4', box([0, 0.72], [0.3, 0.022], 0.02), { bulge: 0.02 }),
    part('main', box([0, 0.09], [0.38, 0.05], 0.02), { bulge: 0.03 }),
  ],
}

const washer: Noun = {
  words: ['washing machine', 'washer', 'dishwasher', 'dryer'],
  home: 'land',
  color: '#dfe2e6',
  height: 0.36,
  width: 0.86,
  metres: 0.9,
  indoor: true,
  parts: () => [
    part('main', box([0, 0.5], [0.43, 0.5], 0.03), { bulge: 0.06 }),
    part('#4b4f58', box([0, 0.97], [0.43, 0.025], 0.01), { bulge: 0.02 }),
    ...[-0.28, -0.1, 0.1, 0.28].map((x) => part('#4b4f58', oval([x, 0.86], 0.036), { bulge: 0.03 })),
    part('#3a3f4a', oval([0, 0.4], 0.27), { bulge: 0.04 }),
    part('#6f8ba3', oval([0, 0.4], 0.2), { bulge: 0.12 }),
    part('#c7ccd4', ring([0, 0.4], 0.26, 0.022), { bulge: 0.02 }),
  ],
}

/** Furniture and other things of a room that the library of drawings lacks. */
export const indoorThings: readonly Noun[] = [
  wardrobe,
  shelf,
  pillow,
  carpet,
  bottle,
  fork,
  piano,
  belt,
  skirt,
  fridge,
  stove,
  washer,
]
