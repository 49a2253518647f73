import { describe, expect, test } from 'vitest'
import { parsePrompt } from '../prompt/parse-prompt.js'
import { hashText } from '../random.js'
import { arrange } from './arrange.js'
import { setScene } from './set-scene.js'
import type { PlacedThing } from './thing.js'

const size = { width: 400, height: 400 }

/** Where the things of a prompt stand, by name; several of one noun are `cat`, `cat 2` and so on. */
function stands(prompt: string, index = 0, { width, height } = size): Record<string, Box> {
  const request = parsePrompt(prompt)
  const scene = setScene(request, { width, height }, hashText(prompt, index))
  const boxes: Record<string, Box> = {}
  for (const [order, stand] of arrange(scene, request.things).entries()) {
    const name = stand.noun.words[0] ?? ''
    const twins = Object.keys(boxes).filter((other) => other.split(' ')[0] === name).length
    boxes[twins ? `${name} ${twins + 1}` : name] = boxOf(stand, order)
  }
  return boxes
}

interface Box {
  readonly left: number
  readonly right: number
  readonly top: number
  readonly bottom: number
  readonly x: number
  /** Drawn later than those with less. */
  readonly order: number
  readonly stand: PlacedThing
}

function boxOf(stand: PlacedThing, order: number): Box {
  const half = (stand.height * stand.noun.width) / 2
  const { x, y, height } = stand
  return { left: x - half, right: x + half, top: y - height, bottom: y, x, order, stand }
}

function get(boxes: Record<string, Box>, name: string): Box {
  const box = boxes[name]
  if (!box) throw new Error(`no ${name} among ${Object.keys(boxes)}`)
  return box
}

const tries = [0, 1, 2, 3]

describe.each([
  ['cat', 'house'],
  ['owl', 'tree'],
  ['vase', 'table'],
  ['dog', 'car'],
  ['cat', 'sailboat'],
  ['person', 'horse'],
])('a %s on a %s', (upper, lower) => {
  test.each(tries)('sits on top and is drawn later (%i)', (index) => {
    const boxes = stands(`a ${upper} on a ${lower}`, index)
    const [a, b] = [get(boxes, upper), get(boxes, lower)]
    expect(a.x).toBeGreaterThan(b.left)
    expect(a.x).toBeLessThan(b.right)
    expect(a.bottom).toBeGreaterThan(b.top - 2)
    expect(a.bottom).toBeLessThan(b.top + b.stand.height * 0.75)
    expect(a.order).toBeGreaterThan(b.order)
    expect(a.top).toBeGreaterThanOrEqual(0)
  })
})

test.each(tries)('an owl in a tree is in its crown (%i)', (index) => {
  const boxes = stands('an owl in a tree', index)
  const [owl, tree] = [get(boxes, 'owl'), get(boxes, 'tree')]
  expect(owl.bottom).toBeGreaterThan(tree.top + 0.3 * tree.stand.height)
  expect(owl.bottom).toBeLessThan(tree.bottom - 0.3 * tree.stand.height)
  expect(owl.order).toBeGreaterThan(tree.order)
})

test('a city street has a road, and a city alone water', () => {
  const [street, city] = ['a city street', 'a city'].map((prompt) => setScene(parsePrompt(prompt), size, 1))
  expect(street?.bank).toBe(street?.horizon)
  expect(city?.bank).toBe(size.height)
})

test('a horse on the moon stands on its ground', () => {
  const { horse } = stands('an astronaut riding a horse on the moon')
  expect(horse?.stand.on).toBe('ground')
  expect(horse?.bottom).toBeGreaterThan(200)
})

test.each(tries)('places left, right and between (%i)', (index) => {
  const row = stands('a cat to the left of a house and a dog to the right of the house', index)
  expect(get(row, 'cat').right).toBeLessThan(get(row, 'house').left + 1)
  expect(get(row, 'dog').left).toBeGreaterThan(get(row, 'house').right - 1)
  const trees = stands('a dog between two trees', index)
  const [left, right] = [get(trees, 'tree'), get(trees, 'tree 2')].sort((a, b) => a.x - b.x)
  expect(get(trees, 'dog').left).toBeGreaterThan((left?.right ?? 0) - 1)
  expect(get(trees, 'dog').right).toBeLessThan((right?.left ?? 0) + 1)
  const mixed = stands('a cat between a house and a tree', index)
  const xs = ['house', 'cat', 'tree'].map((name) => get(mixed, name).x)
  expect([xs.toSorted((a, b) => a - b), xs.toSorted((a, b) => b - a)]).toContainEqual(xs)
})

test.each(tries)('keeps both things of "behind" and "in front of" visible (%i)', (index) => {
  const cover = (front: Box, back: Box): number => {
    const wide = Math.min(front.right, back.right) - Math.max(front.left, back.left)
    const high = Math.min(front.bottom, back.bottom) - Math.max(front.top, back.top)
    return (Math.max(0, wide) * Math.max(0, high)) / ((back.right - back.left) * (back.bottom - back.top))
  }
  for (const [prompt, front, back] of [
    ['a cat behind a car', 'car', 'cat'],
    ['a car in front of a house', 'car', 'house'],
    ['a tree behind a house', 'house', 'tree'],
    ['a sailboat in front of a lighthouse', 'sailboat', 'lighthouse'],
  ] as const) {
    const boxes = stands(prompt, index)
    const [a, b] = [get(boxes, front), get(boxes, back)]
    expect(a.order, prompt).toBeGreaterThan(b.order)
    expect(cover(a, b), prompt).toBeGreaterThan(0)
    expect(cover(a, b), prompt).toBeLessThan(0.6)
  }
})

test.each(tries)('places above and under (%i)', (index) => {
  const over = stands('a balloon above a house', index)
  expect(get(over, 'balloon').bottom).toBeLessThan(get(over, 'house').top)
  const below = stands('a cat under a balloon', index)
  expect(get(below, 'balloon').bottom).toBeLessThan(get(below, 'cat').top)
  expect(get(below, 'cat').stand.on).toBe('ground')
  const table = stands('a cat under a table', index)
  expect(get(table, 'cat').top).toBeGreaterThan(get(table, 'table').top)
  expect(get(table, 'cat').x).toBeGreaterThan(get(table, 'table').left)
  expect(get(table, 'cat').x).toBeLessThan(get(table, 'table').right)
})

test('fits a tower of things into the image', () => {
  const tower = stands('a cat on a dog on a horse on a bus', 0, { width: 300, height: 200 })
  const rows = ['cat', 'dog', 'horse', 'bus'].map((name) => get(tower, name).bottom)
  expect(rows).toEqual(rows.toSorted((a, b) => a - b))
  expect(get(tower, 'cat').top).toBeGreaterThanOrEqual(0)
})

test('three sit side by side; two on two sit on one each', () => {
  const sitting = stands('three birds on a castle')
  const xs = ['bird', 'bird 2', 'bird 3'].map((name) => get(sitting, name).x)
  expect(new Set(xs.map(Math.round)).size).toBe(3)
  const pairs = stands('two cats on two houses')
  const houses = [get(pairs, 'house'), get(pairs, 'house 2')]
  const under = ['cat', 'cat 2'].map((name) =>
    houses.findIndex(({ left, right }) => left < get(pairs, name).x && get(pairs, name).x < right),
  )
  expect(under.toSorted()).toEqual([0, 1])
})
