import { expect, test } from 'vitest'
import { named } from '../../test/call-context.js'
import { runOf, stateOf } from '../../test/run-of.js'
import { prepareStep } from '../features/prepare-step.js'
import { stuckDetection } from '../features/stuck-detection.js'
import type { ModelRequest } from '../types/model.js'
import type { Flags } from '../types/state.js'
import { askModel } from './ask-model.js'
import type { StepChanges } from './feature.js'
import type { ToolChoice } from './middleware.js'

const tools = ['f', 'g', 'h'].map((name) => named(name, () => 1))
const forced = (name: string) => ({ type: 'function', function: { name } }) as const

interface Asked {
  readonly choice?: ToolChoice
  readonly changes?: StepChanges
  readonly flags?: Flags
  /** Tools that stuck detection has disabled. */
  readonly disabled?: readonly string[]
  readonly without?: true
}

/** The tools of the request that a run makes. */
async function offer({ choice = 'auto', changes, flags = {}, disabled, without }: Asked = {}) {
  let asked: ModelRequest | undefined
  const complete = async (request: ModelRequest) => {
    asked = request
    return { message: { role: 'assistant', content: 'Done.' } } as const
  }
  const kept = { 'stuck-detection': { disabled: disabled ?? [], agent: 'agent' } }
  const run = runOf(without ? [] : tools, stateOf([], { flags, kept }), {
    settings: { toolChoice: choice, model: { name: 'm', complete } },
    middleware: [
      ...(changes ? [prepareStep().forAgent?.({ prepareStep: () => changes }) ?? []].flat() : []),
      // Behind `prepareStep`, as in an agent.
      stuckDetection(),
    ],
  })
  await askModel(run, undefined)
  const { tools: offered = [], toolChoice } = asked ?? {}
  return { names: offered.map((tool) => tool.function.name), toolChoice, offered, run }
}
const all = ['f', 'g', 'h']

test('all tools are offered, as the one list that they are', async () => {
  const { names, toolChoice, offered, run } = await offer()
  expect({ names, toolChoice }).toEqual({ names: all, toolChoice: 'auto' })
  expect(offered).toBe(run.toolset.definitions)
})

test.each<[ToolChoice, unknown]>([
  ['auto', 'auto'],
  ['required', 'required'],
  ['g', forced('g')],
  [forced('g'), forced('g')],
])('the choice %j is sent as %j', async (choice, sent) => {
  expect(await offer({ choice })).toMatchObject({ names: all, toolChoice: sent })
})

test('a choice is forced once, then the model is free; what a step asks for holds all the same', async () => {
  const flags = { toolForced: true }
  expect((await offer({ choice: 'g', flags })).toolChoice).toBe('auto')
  expect((await offer({ choice: 'required', flags })).toolChoice).toBe('auto')
  const changed = await offer({ choice: 'g', flags, changes: { toolChoice: 'h' } })
  expect(changed.toolChoice).toEqual(forced('h'))
})

test('the choice of a step counts more than that of the agent', async () => {
  const choiceOf = async (choice: ToolChoice, toolChoice: ToolChoice) =>
    (await offer({ choice, changes: { toolChoice } })).toolChoice
  expect(await choiceOf('g', 'required')).toBe('required')
  expect(await choiceOf('g', 'auto')).toBe('auto')
  expect((await offer({ choice: 'none', changes: { toolChoice: 'auto' } })).names).toEqual(all)
})

test.each<Asked>([
  { choice: 'none' },
  { changes: { toolChoice: 'none' } },
  { choice: 'g', changes: { tools: [] } },
  { choice: 'required', without: true },
])('nothing is offered, and nothing forced, with %j', async (asked) => {
  expect(await offer(asked)).toMatchObject({ names: [], toolChoice: 'auto' })
})

test('a step offers the tools it names, in its order', async () => {
  expect((await offer({ changes: { tools: ['h', 'f'] } })).names).toEqual(['h', 'f'])
})

test('a disabled tool stays in the request: servers cache its start', async () => {
  const { offered, run } = await offer({ disabled: ['g'] })
  expect(offered).toBe(run.toolset.definitions)
  expect((await offer({ disabled: ['g'], changes: { tools: ['h', 'g'] } })).names).toEqual(['h', 'g'])
})

test('a disabled tool is not forced either: the model is free', async () => {
  const disabled = ['g']
  for (const toolChoice of ['g', forced('g')])
    expect(await offer({ disabled, changes: { toolChoice } })).toMatchObject({
      names: all,
      toolChoice: 'auto',
    })
  expect((await offer({ disabled, changes: { toolChoice: 'required' } })).toolChoice).toBe('required')
  const none = await offer({ disabled: all, changes: { toolChoice: 'required' } })
  expect(none.toolChoice).toBe('auto')
})

test('a tool that is not there can be neither offered nor forced', async () => {
  const unknown = (message: string) => expect.objectContaining({ code: 'unknown_tool', message })
  await expect(offer({ changes: { tools: ['f', 'x'] } })).rejects.toThrow(
    unknown('Unknown tool "x". Nearest: f, g, h.'),
  )
  await expect(offer({ changes: { tools: ['f'], toolChoice: 'g' } })).rejects.toThrow(
    unknown('Unknown tool "g". Nearest: f.'),
  )
})
