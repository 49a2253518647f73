// Programs of about sixty lines, as the documentation of other frameworks has them, ported. The one with the AI SDK runs
// beside its port.
import * as chatRoute from './ai-sdk.js'
import { forecast } from './langchain.js'
import { refundOrders } from './mastra.js'
import { triageRequests } from './openai-agents.js'
import { chatPage } from './page.js'
import * as theirs from './theirs/ai-sdk.js'

interface ChatRoute {
  readonly POST: (request: Request) => Promise<Response>
  readonly title: () => Promise<string>
}

const askRoute = async ({ POST, title }: ChatRoute, log: (line: string) => void) => {
  await chatPage(POST, log)
  log(await title())
}
const programs = {
  'ai-sdk': (log: (line: string) => void) => askRoute(chatRoute, log),
  'openai-agents': triageRequests,
  langchain: forecast,
  mastra: refundOrders,
}

const ported: string[] = []
for (const [name, program] of Object.entries(programs)) {
  const lines: string[] = []
  await program((line) => lines.push(line))
  console.log(`${name}: ${lines.join('\n')}\n`)
  if (name === 'ai-sdk') ported.push(...lines)
}
const before: string[] = []
await askRoute(theirs, (line) => before.push(line))
console.log('the same lines with the AI SDK:', before.join('\n') === ported.join('\n'))
chatRoute.POST.close()
