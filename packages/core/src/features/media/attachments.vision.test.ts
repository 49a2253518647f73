import { expect, expectTypeOf, test } from 'vitest'
import { z } from 'zod'
import { scriptedModel } from '../../../test/scripted-model.js'
import { Agent, chatModel, fallback, showImages, type ToolContext, tool } from '../../index.js'
import type { ChatModel } from '../../types/model.js'

const png = Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1])
const url = `data:image/png;base64,${Buffer.from(png).toString('base64')}`
const file = new TextEncoder().encode('words')
const seeing = (script: Parameters<typeof scriptedModel>[0]) =>
  Object.assign(scriptedModel(script), { vision: true })
const nothing = tool({ name: 'nothing', description: 'D', parameters: z.object({}), execute: () => 1 })

test('each request of a model that sees shows attached pictures', async () => {
  const model = seeing([[['nothing']], 'a cat'])
  const agent = new Agent({ model, tools: [nothing] })
  const { state, messages } = await agent.run('What is this?', { attachments: [png, file] })
  expect(JSON.stringify(state)).not.toContain(url)
  const [{ id } = { id: '' }] = await agent.artifacts.list()
  const line = expect.stringContaining(`What is this?\n\nAttached: ${id} (image/png, 9 bytes), txt_`)
  expect(messages[0]?.content).toBe('What is this?')
  const content = [
    { type: 'text', text: line },
    { type: 'image_url', image_url: { url } },
  ]
  expect(model.requests.map(({ messages }) => messages[0]?.content)).toEqual([content, content])
})

test('a model that does not see reads references, also in a later request of a run', async () => {
  const blind = scriptedModel([[['nothing']], 'none'])
  await new Agent({ model: blind, tools: [nothing] }).run('go', { attachments: [png] })
  expect(blind.requests.map(({ messages }) => typeof messages[0]?.content)).toEqual(['string', 'string'])
  const model = seeing([[['nothing']]])
  const prepareStep = ({ step }: { step: number }) => (step === 1 ? { model: scriptedModel(['x']) } : {})
  await new Agent({ model, tools: [nothing], prepareStep }).run('go', { attachments: [png] })
  expect(Array.isArray(model.requests[0]?.messages[0]?.content)).toBe(true)
  expect(fallback([model, blind]).vision).toBe(false)
  expect(fallback([model, seeing([])]).vision).toBe(true)
})

test('a prepared state shows them as well, and one whose files were removed resumes without', async () => {
  const model = seeing(['a', 'b'])
  const agent = new Agent({ model })
  const state = JSON.parse(JSON.stringify(await agent.prepare('go', { attachments: [png] })))
  await agent.run(state)
  const { media: _, ...old } = state.messages[0]
  await agent.run({ ...state, messages: [old] })
  expect(model.requests.map(({ messages }) => Array.isArray(messages[0]?.content))).toEqual([true, false])
})

test('pictures stand behind the parts of a message, in order', async () => {
  const model = seeing(['ok'])
  const other = `${url.slice(0, -4)}CQ==`
  const parts = [
    { type: 'image_url', image_url: { url: other } },
    { type: 'text', text: 'Compare.' },
  ]
  await new Agent({ model }).run([{ role: 'user', content: parts }], { attachments: [png] })
  const content = model.requests[0]?.messages[0]?.content as readonly { readonly type: string }[]
  expect(content.map(({ type }) => type)).toEqual(['image_url', 'text', 'text', 'image_url'])
  expect(content.at(-1)).toEqual({ type: 'image_url', image_url: { url } })
})

test('showImages shows attachments within its limits, also to a model that says nothing of vision', async () => {
  const shown = async (options: Parameters<typeof showImages>[0], model = scriptedModel(['ok'])) => {
    await new Agent({ model, middleware: [showImages(options)] }).run('go', { attachments: [png] })
    const content = model.requests[0]?.messages[0]?.content
    return (content as readonly { readonly type: string }[]).map(({ type }) => type)
  }
  expect(await shown({})).toEqual(['text', 'image_url'])
  expect(await shown({}, seeing(['ok']))).toEqual(['text', 'image_url'])
  expect(await shown({ maxBytes: 1 })).toEqual(['text', 'text'])
  expect(await shown({ maxBytes: 8, fit: async () => png.slice(0, 8) })).toEqual(['text', 'image_url'])
})

test('a picture in a format that servers do not take is named', async () => {
  const model = seeing(['ok'])
  const heic = new TextEncoder().encode('\0\0\0\x18ftypheic')
  await new Agent({ model }).run('go', { attachments: [heic] })
  expect(model.requests[0]?.messages[0]?.content).toContain('(image/heic, 12 bytes)')
})

test('an artifact of a result is read without its store, and is JSON without methods', async () => {
  const make = tool({
    name: 'make',
    description: 'D',
    parameters: z.object({}),
    execute: (_, { artifacts }: ToolContext) =>
      artifacts.put(file, { kind: 'text', mediaType: 'text/plain' }),
  })
  const agent = new Agent({ model: scriptedModel([[['make']], 'ok']), tools: [make] })
  const { artifacts, state } = await agent.run('go')
  const [made] = artifacts
  expect(await made?.text()).toBe('words')
  expect(await made?.read()).toEqual(file)
  expect(made?.size).toBe(5)
  expect(JSON.parse(JSON.stringify(artifacts))).toEqual(state.artifacts)
  expect(structuredClone(artifacts)).toEqual(state.artifacts)
  expectTypeOf(made?.text).toEqualTypeOf<(() => Promise<string>) | undefined>()
  await agent.artifacts.delete(made?.id ?? '')
  await expect(made?.read()).rejects.toMatchObject({ code: 'not_found' })
})

test('models take vision as an option', () => {
  expect(chatModel('m', { vision: true }).vision).toBe(true)
  expect(chatModel('m').vision).toBeUndefined()
  expect(() => chatModel('m', { vision: 'yes' as never })).toThrow('vision is a string. Use true or false.')
  expectTypeOf<ChatModel['vision']>().toEqualTypeOf<boolean | undefined>()
})
