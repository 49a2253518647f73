import { codeMode } from '@capstan/code'
import { Agent, type ChatModel } from '@capstan/core'
import { expect, test } from 'vitest'
import { localService } from '../../service/test/local-service.js'
import { mediaTools } from '../src/index.js'

const { service } = localService()

const code = `
const made = []
for (const of of ['a red sailboat', 'a blue house']) {
  const { images: [drawn] } = await tools.generate_image({ prompt: of, size: '128x96' })
  const { images: [edited] } = await tools.edit_image({ image: drawn.id, prompt: 'a yellow moon' })
  const { images: [varied] } = await tools.vary_image({ image: edited.id })
  const { audio } = await tools.speak({ input: 'Good night.' })
  const { text } = await tools.transcribe_audio({ file: audio.id })
  const english = await tools.translate_audio({ file: audio.id })
  made.push([drawn.id, edited.id, varied.id, audio.id, typeof text, typeof english.text])
}
return made`

const model: ChatModel = {
  name: 'm',
  async complete({ messages }) {
    const tokens = { inputTokens: 1, outputTokens: 1, totalTokens: 2 }
    if (messages.length > 1) return { message: { role: 'assistant', content: 'Done.' }, tokens }
    const call = { name: 'run_program', arguments: JSON.stringify({ code }) }
    const tool_calls = [{ id: 'p', type: 'function' as const, function: call }]
    return { message: { role: 'assistant', content: null, tool_calls }, tokens }
  },
}

test('the six tools work in the loop of a program, which gets ids and no byte', async () => {
  const agent = new Agent({ model, tools: mediaTools({ client: service }), middleware: [codeMode()] })
  const { toolCalls, artifacts, state } = await agent.run('Draw two pictures')
  const [program] = toolCalls
  expect(program?.status, program?.content).toBe('ok')
  const made = (Object(program?.result) as { readonly value: readonly string[][] }).value
  expect(made).toHaveLength(2)
  for (const [drawn, edited, varied, audio, text, english] of made) {
    expect([drawn, edited, varied].every((id) => id?.startsWith('img_'))).toBe(true)
    expect([audio?.slice(0, 4), text, english]).toEqual(['aud_', 'string', 'string'])
  }
  expect(artifacts.length).toBe(new Set(made.flatMap((ids) => ids.slice(0, 4))).size)
  expect(JSON.stringify(state).length).toBeLessThan(10_000)
})
