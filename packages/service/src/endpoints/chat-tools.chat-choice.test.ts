import { expect, test } from 'vitest'
import { parseChoice, parseTools } from './chat-tools.js'

const weather = { type: 'function', function: { name: 'get_weather' } }
const time = { type: 'function', function: { name: 'get_time' } }

test('the default choice is "auto"', () => {
  const tools = parseTools([weather])
  const given = [undefined, null, 'auto', 'none', 'required', weather]
  expect(given.map((choice) => parseChoice(choice, tools).choice)).toEqual([
    'auto',
    'auto',
    'auto',
    'none',
    'required',
    { name: 'get_weather' },
  ])
})

test('rejects a tool that is not offered and lists the offered ones', () => {
  const choice = { type: 'function', function: { name: 'fly' } }
  expect(() => parseChoice(choice, parseTools([weather]))).toThrow(
    'names "fly", which is not among the tools: get_weather',
  )
  for (const wrong of ['always', 7, {}, { type: 'function' }]) {
    expect(() => parseChoice(wrong, parseTools([weather]))).toThrow('must be "auto", "none", "required"')
  }
  expect(() => parseChoice('required', [])).toThrow('is "required", which needs "tools"')
})

test('allowed_tools limits the tools, in both modes', () => {
  const tools = parseTools([weather, time])
  const allow = (mode: unknown, list: unknown) => ({
    type: 'allowed_tools',
    allowed_tools: { mode, tools: list },
  })
  const names = parseChoice(allow('required', [time]), tools)
  expect(names).toMatchObject({ choice: 'required', tools: [{ name: 'get_time' }] })
  expect(parseChoice(allow('auto', [weather, time]), tools).tools).toHaveLength(2)
  const at = (choice: unknown) => expect(() => parseChoice(choice, tools))
  at(allow('none', [time])).toThrow(expect.objectContaining({ param: 'tool_choice.allowed_tools.mode' }))
  at(allow('auto', [])).toThrow(expect.objectContaining({ param: 'tool_choice.allowed_tools.tools' }))
  at(allow('auto', ['get_time'])).toThrow(
    expect.objectContaining({ param: 'tool_choice.allowed_tools.tools[0]' }),
  )
  at(allow('auto', [{ type: 'function', function: { name: 'fly' } }])).toThrow('names "fly"')
})
