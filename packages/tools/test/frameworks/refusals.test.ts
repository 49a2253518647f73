import { Agent, handoff, hosted, tool } from '@capstan/core'
import { scriptedModel } from '@capstan/testing'
import * as ai7 from 'ai7'
import { expect, test } from 'vitest'
import * as z from 'zod'
import {
  fromAgentsTools,
  fromAiSdkTools,
  fromLangchainTools,
  fromMastraTools,
  toAiSdkTools,
} from '../../src/frameworks.js'

const inputSchema = z.object({})
const invoke = async () => 'x'
const execute = async () => 'x'
const parameters = { type: 'object', properties: {} }

test.each([
  [
    'a provider tool',
    () => fromAiSdkTools({ search: { type: 'provider', id: 'openai.web_search', inputSchema } as never }),
  ],
  [
    'one of version 5',
    () => fromAiSdkTools({ search: { type: 'provider-defined', id: 'a.b', inputSchema } as never }),
  ],
  [
    'a server tool of LangChain',
    () => fromLangchainTools([{ type: 'web_search_20250305', name: 'search' } as never]),
  ],
  [
    'a provider tool in Mastra',
    () => fromMastraTools({ search: { type: 'provider-defined', id: 'a.b' } as never }),
  ],
  ['a hosted tool', () => fromAgentsTools([{ type: 'hosted_tool', name: 'web_search' }])],
  ['a computer', () => fromAgentsTools([{ type: 'computer', name: 'computer_use_preview' }])],
])('%s is refused, pointing to hosted', (_, take) => {
  expect(take).toThrow(
    expect.objectContaining({ code: 'unsupported', message: expect.stringContaining('hosted(') }),
  )
})

test.each([
  ['a suspendSchema', { id: 'a', description: 'a', suspendSchema: inputSchema, execute }, 'suspends its run'],
  ['a transform', { id: 'a', description: 'a', transform: {}, execute }, 'transform'],
])('a Mastra tool with %s is refused', (_, given, problem) => {
  const take = () => fromMastraTools({ given })
  expect(take).toThrow(
    expect.objectContaining({ code: 'unsupported', message: expect.stringContaining(problem) }),
  )
})

const refuses = (take: () => unknown, message: string) =>
  expect(take).toThrow(
    expect.objectContaining({ code: 'invalid_tool', message: expect.stringContaining(message) }),
  )

test('other values are refused with the tool to use', () => {
  refuses(() => fromAiSdkTools([] as never), 'needs an object of tools')
  refuses(() => fromAiSdkTools({ a: 7 } as never), '"a" is not a tool from the AI SDK')
  refuses(() => fromAiSdkTools({ a: { parameters: inputSchema } } as never), 'It has no inputSchema')
  refuses(() => fromLangchainTools({} as never), 'needs an array of tools')
  refuses(() => fromLangchainTools([{ name: 'a', invoke } as never]), 'needs a name and a schema')
  refuses(
    () => fromLangchainTools([{ type: 'function', function: {} } as never]),
    'is not a tool from LangChain',
  )
  refuses(() => fromLangchainTools([undefined as never]), 'is not a tool from LangChain')
  refuses(() => fromMastraTools({ a: { inputSchema, execute } } as never), 'It has no id')
  refuses(() => fromMastraTools({ a: undefined } as never), '"a" is not a tool from Mastra')
  refuses(
    () => fromAgentsTools([{ type: 'function', name: 'a' }]),
    'is not a tool from the OpenAI Agents SDK',
  )
  refuses(() => toAiSdkTools([{} as never]), 'needs an array of tools')
})

test('names and schemas that servers reject are refused', () => {
  refuses(() => fromAiSdkTools({ 'look.up': ai7.tool({ inputSchema, execute }) }), 'not a valid tool name')
  refuses(
    () => fromMastraTools({ 'my tool': { id: 'a', description: 'a', execute } }),
    'not a valid tool name',
  )
  refuses(
    () => fromAgentsTools([{ type: 'function', name: 'a', parameters: { type: 'odd' }, invoke } as never]),
    'type is "odd"',
  )
  refuses(() => fromLangchainTools([{ name: 'a', schema: z.string(), invoke }]), 'a tool takes one object')
  const later = ai7.jsonSchema(Promise.resolve({ type: 'object' }))
  refuses(() => fromAiSdkTools({ a: ai7.tool({ inputSchema: later, execute }) }), 'Await it')
  refuses(() => fromAiSdkTools({ a: { inputSchema: { safeParse() {} } } }), 'zod 3.24')
})

test('unknown options are refused', () => {
  const of = { code: 'invalid_request' }
  expect(() => fromAiSdkTools({}, { setting: () => ({}) } as never)).toThrow(expect.objectContaining(of))
  expect(() => fromAgentsTools([], { settings: {} } as never)).toThrow(expect.objectContaining(of))
  expect(() => fromMastraTools({}, null as never)).toThrow(expect.objectContaining(of))
  expect(() => toAiSdkTools([], { store: {} } as never)).toThrow(expect.objectContaining(of))
})

test('settings replace those of a tool, and unknown ones are refused', () => {
  const given = [{ type: 'function', name: 'pay', description: 'Pays', parameters, strict: true, invoke }]
  const seen: unknown[] = []
  const [pay] = fromAgentsTools(given, {
    settings: (info) => {
      seen.push(info)
      return { strict: false, effects: 'read', untrusted: true }
    },
  })
  expect(seen).toEqual([{ name: 'pay', description: 'Pays' }])
  expect(pay?.settings).toMatchObject({ strict: false, effects: 'read', untrusted: true })
  refuses(() => fromAgentsTools(given, { settings: () => ({ timeout: 1 }) as never }), 'timeout')
  const later = async () => ({ needsApproval: true })
  refuses(() => fromAgentsTools(given, { settings: later as never }), 'settings returned a promise')
})

test('hosted tools, handoffs and names twice are refused on the way to the AI SDK', () => {
  const one = tool({ name: 'one', description: 'One', parameters: z.object({}), execute })
  const search = hosted({ type: 'web_search' })
  const other = handoff(new Agent({ name: 'other', model: scriptedModel([]) }))
  const unsupported = expect.objectContaining({ code: 'unsupported' })
  expect(() => toAiSdkTools([search])).toThrow(unsupported)
  expect(() => toAiSdkTools([other])).toThrow(unsupported)
  refuses(() => toAiSdkTools([one, one]), 'Duplicate tool name "one"')
})
