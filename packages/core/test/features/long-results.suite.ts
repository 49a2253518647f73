import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import {
  Agent,
  type AnyTool,
  type ArtifactPart,
  chatModel,
  type Middleware,
  memoryArtifacts,
  memorySessions,
  tool,
  without,
} from '../../src/index.js'
import { scriptedModel } from '../scripted-model.js'
import { startScriptedServer } from '../scripted-server.js'

/** What long results do, of this package or written outside of it. */
export function testLongResults(longResults: () => Middleware, readArtifact: AnyTool): void {
  const artifacts = memoryArtifacts()
  const put = (text: string) =>
    artifacts.put(new TextEncoder().encode(text), { kind: 'text', mediaType: 'text/plain' })
  const read = (args: Record<string, unknown>) =>
    readArtifact.call(args, { artifacts }) as Promise<ArtifactPart>

  test('a text is read in parts, which say where they are', async () => {
    const { id } = await put('abc'.repeat(4000))
    expect(await read({ artifact: id })).toEqual({
      artifact: id,
      from: 0,
      to: 8000,
      of: 12_000,
      text: 'abc'.repeat(2667).slice(0, 8000),
    })
    expect(await read({ artifact: id, from: 11_998, length: 5 })).toEqual({
      artifact: id,
      from: 11_998,
      to: 12_000,
      of: 12_000,
      text: 'bc',
    })
  })

  test('beyond the end there is nothing', async () => {
    const { id } = await put('short')
    expect(await read({ artifact: id, from: 5 })).toMatchObject({ from: 5, to: 5, of: 5, text: '' })
    expect(await read({ artifact: id, from: 99 })).toMatchObject({ from: 5, to: 5, of: 5, text: '' })
    const { id: empty } = await put('')
    expect(await read({ artifact: empty })).toMatchObject({ to: 0, of: 0, text: '' })
  })

  test('pages that follow one another are the text, no character cut in two', async () => {
    const text = `a${'😀'.repeat(20)}b`
    const { id } = await put(text)
    let pages = ''
    for (let from = 0; from < text.length; ) {
      const part = await read({ artifact: id, from, length: 4 })
      expect(part.text.isWellFormed()).toBe(true)
      expect(part.to).toBeGreaterThan(from)
      pages += part.text
      from = part.to
    }
    expect(pages).toBe(text)
    expect(await read({ artifact: id, from: 2, length: 1 })).toMatchObject({ from: 3, text: '😀' })
  })

  test.each([{ from: -1 }, { length: 0 }, { length: 8001 }, { from: 1.5 }, { artifact: 7 }])(
    '%j is refused',
    async (args) => {
      const { id } = await put('text')
      await expect(read({ artifact: id, ...args })).rejects.toMatchObject({ code: 'invalid_arguments' })
    },
  )

  test('what is no text, or not there, is refused with the reason', async () => {
    const { id } = await artifacts.put(Uint8Array.of(1), { kind: 'image', mediaType: 'image/png' })
    await expect(read({ artifact: id })).rejects.toMatchObject({
      code: 'invalid_arguments',
      message: expect.stringContaining('is of kind image'),
    })
    await expect(read({ artifact: 'txt_aaaaaaaa' })).rejects.toMatchObject({ code: 'not_found' })
  })

  describe('a run with an attached text offers the reader', () => {
    const notes = new TextEncoder().encode('Meet at nöon.\n')
    const id = async () => (await memoryArtifacts().put(notes, { kind: 'text', mediaType: 'text/plain' })).id
    const offered = ({ requests }: ReturnType<typeof scriptedModel>) =>
      requests.map(({ tools }) => tools?.map((one) => one.function.name) ?? [])

    test('from its first request, and the model reads the words', async () => {
      const model = scriptedModel([[['read_artifact', { artifact: await id() }]], 'At noon.'])
      const { messages } = await new Agent({ model, middleware: [longResults()] }).run('When?', {
        attachments: [notes],
      })
      expect(model.requests[0]?.messages[0]?.content).toBe(
        `When?\n\nAttached: ${await id()} (text/plain, 15 bytes)`,
      )
      expect(messages[2]).toMatchObject({ role: 'tool', content: expect.stringContaining('Meet at nöon.') })
      expect(offered(model)).toEqual([['read_artifact'], ['read_artifact']])
    })

    test('also from a prepared state, and in later runs of a session', async () => {
      const model = scriptedModel(['a', 'b', 'c'])
      const agent = new Agent({ model, middleware: [longResults()] })
      await agent.run(JSON.parse(JSON.stringify(await agent.prepare('When?', { attachments: [notes] }))))
      const session = { store: memorySessions(), id: 'ann' }
      await agent.run('When?', { session, attachments: [notes] })
      await agent.run('Where?', { session })
      expect(offered(model)).toEqual([['read_artifact'], ['read_artifact'], ['read_artifact']])
    })

    test('not for other files, and not when it is switched off', async () => {
      const model = scriptedModel(['a', 'b'])
      await new Agent({ model, middleware: [longResults()] }).run('Look.', {
        attachments: [new Uint8Array([0x89, 1, 2])],
      })
      const off = new Agent({ model, middleware: [without('long-results')] })
      await off.run('When?', { attachments: [notes] })
      expect(offered(model)).toEqual([[], []])
    })
  })

  test('the model pages through it with a tool that it is offered from then on', async () => {
    const pages = Array.from({ length: 3000 }, (_, n) => `line ${n}`).join('\n')
    const log = tool({
      name: 'read_log',
      description: 'Reads the log',
      parameters: z.object({}),
      maxResultBytes: 2000,
      execute: () => pages,
    })
    let id = ''
    await using server = await startScriptedServer([
      { calls: [{ name: 'read_log' }] },
      (request, response) => {
        id = /"(txt_\w+)"/.exec(String(request.body.messages.at(-1)?.content))?.[1] ?? ''
        const asked = {
          name: 'read_artifact',
          arguments: JSON.stringify({ artifact: id, from: 8000, length: 20 }),
        }
        const message = {
          role: 'assistant',
          content: '',
          tool_calls: [{ id: 'r', type: 'function', function: asked }],
        }
        response.end(JSON.stringify({ choices: [{ message, finish_reason: 'tool_calls' }] }))
      },
      { text: 'Read.' },
    ])
    const result = await new Agent({
      model: chatModel('m', server),
      tools: [log],
      middleware: [longResults()],
    }).run('Read it.')
    expect(server.requests.map(({ body }) => body.tools?.length)).toEqual([1, 2, 2])
    expect(result.toolCalls[1]).toMatchObject({
      name: 'read_artifact',
      status: 'ok',
      result: { artifact: id, from: 8000, to: 8020, of: pages.length, text: pages.slice(8000, 8020) },
    })
    expect(result.toolCalls[0]?.result).toBe(pages)
    expect(String(result.messages[2]?.content).length).toBeLessThan(2200)
  })
}
