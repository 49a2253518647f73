// Programs of about sixty lines, as the documentation of other frameworks has them, ported. Those with the AI SDK and with
// openai run next to their ports.
import { POST, title } from './ai-sdk.js'
import { forecast } from './langchain.js'
import { refundOrders } from './mastra.js'
import { travel } from './openai.js'
import { triageRequests } from './openai-agents.js'
import { chatPage } from './page.js'
import { POST as theirPost, title as theirTitle } from './theirs/ai-sdk.js'
import { travel as travelByHand } from './theirs/openai.js'

interface ChatRoute {
  readonly POST: (request: Request) => Promise<Response>
  readonly title: () => Promise<string>
}

const askRoute = async ({ POST, title }: ChatRoute, log: (line: string) => void) => {
  await chatPage(POST, log)
  log(await title())
}
type Program = (log: (line: string) => void) => Promise<void>

const programs: Readonly<Record<string, Program>> = {
  'ai-sdk': (log) => askRoute({ POST, title }, log),
  'openai-agents': triageRequests,
  langchain: forecast,
  mastra: refundOrders,
  openai: travel,
}

async function linesOf(program: Program): Promise<string> {
  const lines: string[] = []
  await program((line) => lines.push(line))
  return lines.join('\n')
}

const ours: Record<string, string> = {}
for (const [name, program] of Object.entries(programs)) {
  ours[name] = await linesOf(program)
  console.log(`${name}: ${ours[name]}\n`)
}
const before = await linesOf((log) => askRoute({ POST: theirPost, title: theirTitle }, log))
console.log('the same lines with the AI SDK:', before === ours['ai-sdk'])
console.log('the same lines with plain openai:', (await linesOf(travelByHand)) === ours.openai)
POST.close()
