import { Agent, type ChatModel, memoryArtifacts } from '@capstan/core'
import { expect, test } from 'vitest'
import { mediaTools } from '../../src/index.js'
import { base64 } from '../artifacts.js'
import { startMediaServer } from '../media-server.js'
import { png } from '../png.js'

test.each(['edit_image', 'vary_image'])(
  'what %s makes from an untrusted image is marked, in runs to which nothing was attached',
  async (name) => {
    let images = 0
    const { client } = await startMediaServer(() => ({
      body: { data: [{ b64_json: base64(png(8, 9 + images++)) }] },
    }))
    const artifacts = memoryArtifacts()
    const attachments = [{ data: png(8, 8), untrusted: true }]
    await new Agent({ model: saying('Seen.'), artifacts }).run('Here.', { attachments })
    const [given] = await artifacts.list()
    let last = given
    for (const _ of ['edited', 'edited again']) {
      const args = { image: last?.id, ...(name === 'edit_image' && { prompt: 'a hat' }) }
      const tools = mediaTools({ client })
      const agent = new Agent({ model: saying('Done.', { name, args }), tools, artifacts })
      const { artifacts: made, state } = await agent.run('Go.')
      last = made.find(({ id }) => id !== last?.id)
      expect(last?.origin).toMatchObject({ tool: name, taintedBy: given?.id })
      expect(state.taintedBy).toBe(given?.id)
    }
    expect(images).toBe(2)
  },
)

/** A model that makes at most one call before it says something. */
const saying = (words: string, call?: { name: string; args: object }): ChatModel => ({
  name: 'm',
  async complete({ messages }) {
    if (!call || messages.some(({ role }) => role === 'tool'))
      return { message: { role: 'assistant', content: words }, finishReason: 'stop' }
    const made = { name: call.name, arguments: JSON.stringify(call.args) }
    const calls = [{ id: 'c1', type: 'function' as const, function: made }]
    return { message: { role: 'assistant', content: null, tool_calls: calls }, finishReason: 'tool_calls' }
  },
})
