import { Agent, chatModel, tool } from '@capstan/core'
import { afterEach, expect, test } from 'vitest'
import * as z from 'zod'
import { startScriptedServer } from '../../core/test/scripted-server.js'
import { collect } from '../test/collected.js'
import { telemetry } from './telemetry.js'

const collected = collect()
afterEach(() => collected.reset())

test('the span of a reply says that its calls were text', async () => {
  const weather = tool({
    name: 'weather',
    description: 'Returns the weather of a city.',
    parameters: z.object({ city: z.string() }),
    execute: ({ city }) => `Rain in ${city}.`,
  })
  const text = '<tool_call>\n{"name": "weather", "arguments": {"city": "Oslo"}}\n</tool_call>'
  await using server = await startScriptedServer([{ text }, { text: 'It rains.' }])
  const model = chatModel('m', { ...server, textCalls: 'run' })
  await new Agent({ model, tools: [weather] }).run('How is Oslo?', telemetry())
  const chats = collected.spans().filter(({ name }) => name === 'chat m')
  expect(chats[0]?.attributes).toMatchObject({
    'capstan.text_call.form': 'hermes',
    'capstan.text_call.tools': ['weather'],
    'capstan.text_call.recovered': true,
  })
  expect(Object.keys(chats[1]?.attributes ?? {}).filter((name) => name.includes('text_call'))).toEqual([])
})
