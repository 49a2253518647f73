import { expect, test } from 'vitest'
import { named } from '../../test/call-context.js'
import { planOf, stateOf } from '../../test/run-settings.js'
import type { Flags } from '../types/state.js'
import { nothing, selectTools } from './ask-model.js'
import type { StepChanges, ToolChoice } from './run-context.js'

const tools = ['f', 'g', 'h'].map((name) => named(name, () => 1))
const forced = (name: string) => ({ type: 'function', function: { name } }) as const

interface Asked {
  readonly choice?: ToolChoice
  readonly changes?: StepChanges
  readonly flags?: Flags
  readonly without?: true
}

function offer({ choice = 'auto', changes = {}, flags = {}, without }: Asked = {}) {
  const plan = planOf(without ? [] : tools, { toolChoice: choice })
  const { tools: offered, toolChoice } = selectTools(stateOf([], { flags }), plan, changes)
  return { names: offered.map((tool) => tool.function.name), toolChoice, offered, plan }
}
const all = ['f', 'g', 'h']

test('all tools are offered, as the one list that they are', () => {
  const { names, toolChoice, offered, plan } = offer()
  expect({ names, toolChoice }).toEqual({ names: all, toolChoice: 'auto' })
  expect(offered).toBe(plan.toolset.definitions)
})

test.each<[ToolChoice, unknown]>([
  ['auto', 'auto'],
  ['required', 'required'],
  ['g', forced('g')],
  [forced('g'), forced('g')],
])('the choice %j is sent as %j', (choice, sent) => {
  expect(offer({ choice })).toMatchObject({ names: all, toolChoice: sent })
})

test('a choice is forced once, then the model is free; what a step asks for holds all the same', () => {
  const flags = { forcedChoiceUsed: true }
  expect(offer({ choice: 'g', flags }).toolChoice).toBe('auto')
  expect(offer({ choice: 'required', flags }).toolChoice).toBe('auto')
  expect(offer({ choice: 'g', flags, changes: { toolChoice: 'h' } }).toolChoice).toEqual(forced('h'))
})

test('the choice of a step counts more than that of the agent', () => {
  expect(offer({ choice: 'g', changes: { toolChoice: 'required' } }).toolChoice).toBe('required')
  expect(offer({ choice: 'g', changes: { toolChoice: 'auto' } }).toolChoice).toBe('auto')
  expect(offer({ choice: 'none', changes: { toolChoice: 'auto' } }).names).toEqual(all)
})

test.each<Asked>([
  { choice: 'none' },
  { changes: { toolChoice: 'none' } },
  { choice: 'g', changes: { tools: [] } },
  { choice: 'required', without: true },
])('nothing is offered, and nothing forced, with %j', (asked) => {
  expect(offer(asked)).toMatchObject({ names: [], toolChoice: 'auto' })
  expect(nothing).toEqual({ tools: [], toolChoice: 'auto' })
})

test('a step offers the tools it names, in its order', () => {
  expect(offer({ changes: { tools: ['h', 'f'] } }).names).toEqual(['h', 'f'])
})

test('a withheld tool is not offered, by whomever', () => {
  const flags = { withheld: ['g'] }
  expect(offer({ flags }).names).toEqual(['f', 'h'])
  expect(offer({ flags, changes: { tools: ['h', 'g'] } }).names).toEqual(['h'])
  expect(offer({ flags: { withheld: [] } }).names).toEqual(all)
})

test('a withheld tool is not forced either: the model is free', () => {
  const flags = { withheld: ['g'] }
  for (const toolChoice of ['g', forced('g')])
    expect(offer({ flags, changes: { toolChoice } })).toMatchObject({
      names: ['f', 'h'],
      toolChoice: 'auto',
    })
  expect(offer({ flags, changes: { toolChoice: 'required' } }).toolChoice).toBe('required')
  expect(offer({ flags: { withheld: all }, changes: { toolChoice: 'required' } }).toolChoice).toBe('auto')
})

test('a tool that is not there can be neither offered nor forced', () => {
  const unknown = (message: string) => expect.objectContaining({ code: 'unknown_tool', message })
  expect(() => offer({ changes: { tools: ['f', 'x'] } })).toThrow(
    unknown('Unknown tool "x" to offer or force. Tools: f, g, h.'),
  )
  expect(() => offer({ changes: { tools: ['f'], toolChoice: 'g' } })).toThrow(
    unknown('Unknown tool "g" to offer or force. Tools: f.'),
  )
})
