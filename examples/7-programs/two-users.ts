// A server for two users: each has conversations and pictures of their own, also under equal names.
import '../local-service.js'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { Agent } from '@capstan/core'
import { folderArtifacts, folderSessions } from '@capstan/core/node'
import { agentHandler } from '@capstan/http'
import { toNodeListener } from '@capstan/http/node'
import { generateImage } from '@capstan/media'
import { weather } from '../tools.js'

const users = new Map([
  ['Bearer key-of-ann', { id: 'ann' }],
  ['Bearer key-of-ben', { id: 'ben' }],
])

const agent = new Agent({
  name: 'studio',
  model: 'planner',
  tools: [weather, generateImage()],
})
const handler = agentHandler(agent, {
  authenticate: (request) => users.get(request.headers.get('authorization') ?? ''),
  sessions: folderSessions('output/sessions'),
  // Ids are safe names of folders here: they come from the list above.
  artifacts: ({ id }) => folderArtifacts(join('output', id)),
})
const server = createServer(toNodeListener(handler)).listen(0, '127.0.0.1')
await once(server, 'listening')
const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

const [ann, ben, eve] = [clientOf('ann'), clientOf('ben'), clientOf('eve')]
await ann.say('What is the weather in Oslo?')
await ben.say('What is the weather in Rome?')
// Each continues their own conversation "main".
await ann.say('And in Lisbon?')
const [picture = ''] = await ann.say('Draw a red sailboat in 256x256.')
await ann.open(picture)
await ben.open(picture)
await eve.say('What is the weather in Oslo?')

await handler.close()
server.close()

/** A client as any program could be: it has a key and the address. */
function clientOf(name: string) {
  const headers = { authorization: `Bearer key-of-${name}`, 'content-type': 'application/json' }
  return {
    /** Says something in the conversation "main", and returns the ids of new pictures. */
    async say(input: string): Promise<string[]> {
      const body = JSON.stringify({ input, session: 'main', stream: false })
      const response = await fetch(`${address}/runs`, { method: 'POST', headers, body })
      const { text, error, artifacts = [] } = (await response.json()) as Reply
      console.log(`${name}: ${response.status} ${text ?? error?.message}`)
      return artifacts.map(({ id }) => id)
    },
    async open(id: string): Promise<void> {
      const response = await fetch(`${address}/artifacts/${id}`, { headers })
      console.log(`${name} opens the picture: ${response.status} ${response.headers.get('content-type')}`)
    },
  }
}

/** What `POST runs` with `stream: false` returns, as far as it is used here. */
interface Reply {
  readonly text?: string
  readonly artifacts?: readonly { readonly id: string }[]
  readonly error?: { readonly message: string }
}
