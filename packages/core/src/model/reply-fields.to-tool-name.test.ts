import { expect, test } from 'vitest'
import { toToolName } from './reply-fields.js'

const tools = ['get', 'get_weather', 'delete_all', 'functions.own']
const read = (said: string) => toToolName(said, (name) => tools.includes(name))

test.each([
  [
    'get_weather',
    ['get_weather', ' get_weather\n', 'functions.get_weather', 'function:get_weather', 'tools/get_weather'],
  ],
  ['get_weather', ['functions.get_weather:0', 'get_weather<|channel|>commentary', '<tool_call>get_weather']],
  [
    'get_weather',
    ['<|channel|>commentary to=functions.get_weather <|constrain|>json', 'get_weather<|message|>'],
  ],
  ['functions.own', ['functions.own']],
])('finds %s for each of %j', (name, said) => {
  for (const one of said) expect(read(one)).toBe(name)
})

test.each([
  ...[
    'do not delete_all',
    'delete_all (undo)',
    'rm delete_all',
    'get weather',
    'delete_all\n\nget',
    'delete_all()',
  ],
  ...[
    '"delete_all"',
    'Delete_All',
    'get<|x|>delete_all',
    'get_<|x|>weather',
    'x.get',
    'to=get',
    '',
    ' ',
    '<|get|>',
  ],
])('finds no tool for %j', (said) => {
  expect(read(said)).toBeUndefined()
})
