import { expect, test } from 'vitest'
import { toHeaderValue, toPairs, toPathText } from './styles.js'

const list = ['blue', 'black', 'brown']
const object = { R: 100, G: 200 }
const style = (name: string, explode: boolean) => ({ name, explode, allowReserved: false })

// The examples of the specification.
test.each([
  ['simple', false, 'blue', 'blue,black,brown', 'R,100,G,200'],
  ['simple', true, 'blue', 'blue,black,brown', 'R=100,G=200'],
  ['label', false, '.blue', '.blue,black,brown', '.R,100,G,200'],
  ['label', true, '.blue', '.blue.black.brown', '.R=100.G=200'],
  ['matrix', false, ';color=blue', ';color=blue,black,brown', ';color=R,100,G,200'],
  ['matrix', true, ';color=blue', ';color=blue;color=black;color=brown', ';R=100;G=200'],
])('a path in the style %s, explode %s', (name, explode, ...expected) => {
  expect(['blue', list, object].map((value) => toPathText('color', value, style(name, explode)))).toEqual(
    expected,
  )
})

test.each([
  ['form', true, 'color=blue', 'color=blue&color=black&color=brown', 'R=100&G=200'],
  ['form', false, 'color=blue', 'color=blue,black,brown', 'color=R,100,G,200'],
  ['spaceDelimited', false, 'color=blue', 'color=blue%20black%20brown', 'color=R%20100%20G%20200'],
  ['pipeDelimited', false, 'color=blue', 'color=blue%7Cblack%7Cbrown', 'color=R%7C100%7CG%7C200'],
  [
    'deepObject',
    true,
    'color=blue',
    'color%5B0%5D=blue&color%5B1%5D=black&color%5B2%5D=brown',
    'color%5BR%5D=100&color%5BG%5D=200',
  ],
])('a query in the style %s, explode %s', (name, explode, ...expected) => {
  const write = (value: unknown) =>
    toPairs('color', value, style(name, explode))
      .map((pair) => pair.join('='))
      .join('&')
  expect(['blue', list, object].map(write)).toEqual(expected)
})

test('a header is written as it is', () => {
  expect(['a b', list, object].map((value) => toHeaderValue(value, style('simple', false)))).toEqual([
    'a b',
    'blue,black,brown',
    'R,100,G,200',
  ])
  expect(toHeaderValue(object, style('simple', true))).toBe('R=100,G=200')
})

test('empty values', () => {
  expect(toPathText('color', '', style('matrix', false))).toBe(';color')
  expect(toPairs('color', '', style('form', true))).toEqual([['color', '']])
  expect(toPairs('color', [], style('form', false))).toEqual([])
  expect(toPairs('color', {}, style('deepObject', true))).toEqual([])
})

test('reserved characters stay where they are allowed and end nothing', () => {
  const text = ":/?#[]@!$&'()*+,;=%"
  expect(toPairs('q', text, { ...style('form', true), allowReserved: true })).toEqual([
    ['q', ":/?%23%5B%5D@!$%26'()*%2B%2C;%3D%25"],
  ])
  expect(toPairs('q', text, style('form', true))).toEqual([
    ['q', '%3A%2F%3F%23%5B%5D%40%21%24%26%27%28%29%2A%2B%2C%3B%3D%25'],
  ])
})

test('an item with what separates the items cannot be written', () => {
  expect(() => toPairs('a', ['b c'], style('spaceDelimited', false))).toThrow(
    'an item contains " ", which separates the items',
  )
  expect(() => toPairs('a', ['b|c'], style('pipeDelimited', false))).toThrow('"|"')
  expect(() => toHeaderValue(['b,c'], style('simple', false))).toThrow('","')
})

test('values in values are JSON, and deep objects go on', () => {
  expect(toPairs('a', [{ b: 1 }], style('form', true))).toEqual([['a', '%7B%22b%22%3A1%7D']])
  expect(toPairs('a', { b: { c: [1] } }, style('deepObject', true))).toEqual([
    ['a%5Bb%5D%5Bc%5D%5B0%5D', '1'],
  ])
})
