import { expect, test } from 'vitest'
import { some } from '../../../../scripts/cases.mjs'
import { everydayEdits } from '../../test/everyday.js'
import { editPicture } from '../edit-picture.js'
import { paintPrompt } from '../paint-prompt.js'
import { readPicture, writePicture } from '../picture-files.js'
import { sceneOf } from './kept-scene.js'

function edited(of: string, prompt: string, size = 64) {
  const before = paintPrompt({ prompt: of, width: size, height: size }).picture
  return { before, ...editPicture({ picture: before, prompt }) }
}

test.each([
  ['a dog and a cat', 'remove the dog', 'a cat'],
  ['three apples on a table', 'remove one apple', 'two apples on a table'],
  ['a snowman', 'add a hat to the snowman', 'a snowman and a hat on the snowman'],
  ['a snowman', 'give the snowman a hat', 'a snowman and a hat on the snowman'],
  ['a red car', 'make the car blue', 'a blue car'],
  ['a car', 'make it bigger', 'a big car'],
  ['a house', 'make it night', 'a house at night'],
  ['a table', 'put a cake on the table', 'a table and a cake on the table'],
  ['a beach with a palm tree', 'replace the palm tree with an umbrella', 'an umbrella on a beach'],
  ['a cat and a dog', 'turn the dog into a lion and make it night', 'a cat and a lion at night'],
  ['a cat and a table', 'put the cat under the table', 'a cat under a table'],
  ['three balloons', 'only one balloon', 'a balloon'],
  ['a street in the rain', 'stop it, remove the rain', 'a landscape in a city'],
  ['a cat', 'add a dog and remove the cat', 'a dog'],
  ['a cat', 'add a fluffy dog', 'a cat and a dog'],
  ['a cat', 'make it a gloomy night', 'a cat at night'],
  ['a horse and a tree', 'move the horse to the left', 'a horse on the left and a tree'],
  ['a cat on the right', 'move the cat to the left', 'a cat on the left'],
  ['three cows', 'make it five cows', 'five cows'],
  ['a polar bear', 'make the bear brown', 'a brown polar bear'],
  ['a police car and a tree', 'remove the car', 'a tree'],
  ['a birthday cake', 'make the cake bigger', 'a big birthday cake'],
  ['a man with a hat', 'take off his hat', 'a man'],
  ['two dogs', 'remove one of the dogs', 'a dog'],
  ['a bird on a fence', 'make the bird and the fence red', 'a red bird on a red fence'],
  ['a bird and a cat', 'make the bird and the cat bigger', 'a big bird and a big cat'],
  ['a bird and a cat', 'make the bird blue and the cat black', 'a blue bird and a black cat'],
])('%s: %s gives %s', (of, prompt, caption) => {
  const { before, caption: found, picture, unknown } = edited(of, prompt)
  expect([
    found.replace(/ \(not.*/, ''),
    unknown.filter((word) => !['stop', 'fluffy', 'gloomy'].includes(word)),
  ]).toEqual([caption, []])
  expect(picture.pixels).not.toEqual(before.pixels)
})

test.each([
  ['a horse', 'add a flumadiddle', ['flumadiddle']],
  ['a horse', 'make the horse look more disgruntled', ['horse', 'look', 'disgruntled']],
  ['a horse', 'remove the zebra', ['zebra']],
  ['a horse', 'put a wombat on the table', ['wombat', 'table', 'on']],
  ['a horse', 'make the cow blue', ['cow', 'blue']],
  ['a horse', 'add a dog collar', ['dog', 'collar']],
])('%s: %s changes nothing', (of, prompt, words) => {
  const { before, picture, understood, unknown } = edited(of, prompt)
  expect([understood, unknown]).toEqual([[], words])
  expect(picture).toEqual(before)
})

test('what stays, stays where it was', () => {
  const { before, picture } = edited('a cat on the left and a dog on the right', 'remove the dog', 128)
  let changed = 0
  for (let y = 0; y < 128; y++) {
    for (let x = 0; x < 64; x++)
      if (before.pixels[(y * 128 + x) * 4] !== picture.pixels[(y * 128 + x) * 4]) changed++
  }
  expect(changed).toBe(0)
})

test.each(some(['png', 'jpeg', 'webp'] as const))('a %s keeps the scene of its image', async (kind) => {
  const { picture } = paintPrompt({ prompt: 'a cat on a table, "Grüße"', width: 200, height: 160 })
  for (const quality of [60, 100]) {
    const read = await readPicture(await writePicture(picture, { kind, quality }), 'image')
    expect(read.scene).toBe(picture.scene?.replaceAll('ü', '\\u00fc').replaceAll('ß', '\\u00df'))
    expect(sceneOf(read)?.request.things.map(({ noun }) => noun.words[0])).toEqual(['cat', 'table'])
  }
})

test('an image that another program has changed has no scene', () => {
  const { picture } = paintPrompt({ prompt: 'a cat', width: 120, height: 120 })
  const pixels = picture.pixels.slice()
  for (let i = 0; i < 40; i++) pixels.fill(0, (i * 120 + 20) * 4, (i * 120 + 60) * 4)
  expect(sceneOf(picture)).toBeDefined()
  expect(sceneOf({ ...picture, pixels })).toBeUndefined()
})

test.each([
  'no object',
  '{"version":2}',
  '{"version":1,"seed":1,"request":{"text":"x","things":[{"noun":"zzz"}]}}',
])('a damaged scene is no scene: %s', (scene) => {
  const { picture } = paintPrompt({ prompt: 'a cat', width: 16, height: 16 })
  expect(sceneOf({ ...picture, scene })).toBeUndefined()
})

test('each of the everyday edits is done, or changes nothing and says why', () => {
  for (const { of, edit } of everydayEdits) {
    const { before, picture, unknown } = edited(of, edit, 32)
    const isSame = picture.pixels.every((value, i) => value === before.pixels[i])
    expect(isSame, edit).toBe(/flumadiddle|disgruntled|zebra|bokeh/.test(edit))
    expect(unknown.length > 0, edit).toBe(isSame)
  }
})
