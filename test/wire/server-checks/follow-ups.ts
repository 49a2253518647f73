import { askServer } from '../ask-server.js'
import type { ServerCheck } from '../server-check.js'
import { readChoice, readStream, textOfStream } from '../server-reading.js'
import { demandText } from './plain.js'
import { answeredConversation, tools } from './weather.js'

/** Requests that carry the results of calls. */
export const followUpChecks: readonly ServerCheck[] = [
  {
    id: 'result-plain',
    title: 'the result of a call is answered in words',
    async run(server) {
      const messages = await answeredConversation(server)
      demandText(readChoice(await askServer(server, { messages, tools })).message.content)
    },
  },
  {
    id: 'result-streamed',
    title: 'the result of a call is answered in a stream of words',
    async run(server) {
      const messages = await answeredConversation(server)
      demandText(textOfStream(readStream(await askServer(server, { messages, tools, stream: true }))))
    },
  },
  {
    id: 'result-without-tools',
    title: 'the result of a call is answered when the request leaves the tools out',
    async run(server) {
      const messages = await answeredConversation(server)
      demandText(readChoice(await askServer(server, { messages })).message.content)
    },
  },
]
