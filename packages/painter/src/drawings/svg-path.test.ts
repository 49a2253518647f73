import { expect, test } from 'vitest'
import { readPath } from './svg-path.js'
import { readSvgShapes } from './svg-shapes.js'

test('reads absolute and relative lines as one outline', () => {
  const square = [
    [0, 0],
    [2, 0],
    [2, 2],
    [0, 2],
  ]
  expect(readPath('M0 0H2V2H0Z')).toEqual([square])
  expect(readPath('m0 0h2v2h-2z')).toEqual([square])
  expect(readPath('M0,0 2,0 2,2 0,2')).toEqual([square])
})

test('reads further outlines after a closed one, with and without a move', () => {
  expect(readPath('M0 0h1v1zm4 4h1v1z')).toEqual([
    [
      [0, 0],
      [1, 0],
      [1, 1],
    ],
    [
      [4, 4],
      [5, 4],
      [5, 5],
    ],
  ])
})

test('reads numbers and flags without spaces between them', () => {
  const [circle = []] = readPath('M-1 0a1 1 0 112 0a1 1 0 11-2 0')
  for (const [x, y] of circle) expect(Math.hypot(x, y)).toBeCloseTo(1, 2)
  expect(circle.length).toBeGreaterThan(12)
  expect(readPath('M.5.5l1.5-.5 1 1')[0]).toEqual([
    [0.5, 0.5],
    [2, 0],
    [3, 1],
  ])
})

test('a curve ends at its end and bends towards its control points', () => {
  const [curve = []] = readPath('M0 0C0 2 4 2 4 0')
  expect(curve.at(-1)).toEqual([4, 0])
  expect(Math.max(...curve.map(([, y]) => y))).toBeCloseTo(1.5, 1)
  const [smooth = []] = readPath('M0 0c0 2 4 2 4 0s4-2 4 0')
  expect(Math.min(...smooth.map(([, y]) => y))).toBeLessThan(-1)
})

test('reads shapes with their fill, and not those that only clip', () => {
  const shapes = readSvgShapes(
    '<g fill="none"><path fill="#abc" d="M0 0h1v1z"/><circle cx="1" cy="1" r="1" fill="#ff0000" opacity=".5"/></g>' +
      '<defs><path id="a" d="M0 0h9v9z"/></defs><use fill="#00ff00" href="#a"/><clipPath id="b"><path fill="#fff" d="M0 0h1v1z"/></clipPath>' +
      '<path d="M0 0h1v1z"/>',
  )
  expect(shapes.map(({ fill, opacity }) => [fill, opacity])).toEqual([
    ['#aabbcc', 1],
    ['#ff0000', 0.5],
    ['#00ff00', 1],
  ])
})
