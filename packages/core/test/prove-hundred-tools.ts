// How much the compiler works on an agent with a hundred tools, as a user's program meets it: against declarations.
// Build first. Usage: node --conditions=development --import=tsx packages/core/test/prove-hundred-tools.ts
import { execFile } from 'node:child_process'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

/** Instantiations of types: unlike seconds they are the same on a busy machine. 300,000 take about two seconds. */
const instantiationsAllowed = 300_000
const root = fileURLToPath(new URL('../../../', import.meta.url))
// Within a package that has both libraries, so that they are found as a user's program finds them.
const folder = fileURLToPath(new URL('../../media/.hundred-tools/', import.meta.url))
const compilers = { 'TypeScript 7': 'typescript7', 'TypeScript 5.9': 'typescript' }

const tools = Array.from(
  { length: 100 },
  (_, index) => `tool({
  name: 'tool_${index}',
  description: 'Adds up order ${index}.',
  parameters: z.object({
    customer${index}: z.string(),
    note: z.string().optional(),
    kind: z.enum(['new', 'old']),
    lines: z.array(z.object({ item: z.string(), count: z.number() })),
  }),
  execute: ({ customer${index}, kind, lines }) => ({ of: customer${index}, kind, sum${index}: lines.length }),
})`,
)
const program = `import { Agent, chatModel, tool } from '@capstan/core'
import { z } from 'zod'
const agent = new Agent({ model: chatModel('any'), tools: [${tools.join(', ')}] })
const { toolCalls } = await agent.run('Hello')
export const sums: number[] = toolCalls.map((call) =>
  !call.dynamic && call.name === 'tool_99' && call.status === 'ok' ? call.result.sum99 : 0,
)
// @ts-expect-error: another tool's result
export const wrong = toolCalls.map((call) => !call.dynamic && call.name === 'tool_98' && call.status === 'ok' ? call.result.sum99 : 0)
`
const options = { target: 'es2023', module: 'nodenext', strict: true, noEmit: true, skipLibCheck: true }

try {
  await mkdir(folder, { recursive: true })
  await writeFile(`${folder}agent.mts`, program)
  await writeFile(
    `${folder}tsconfig.json`,
    JSON.stringify({ compilerOptions: options, files: ['agent.mts'] }),
  )
  for (const [name, compiler] of Object.entries(compilers)) {
    const began = performance.now()
    const bin = `${root}node_modules/${compiler}/bin/tsc`
    const { stdout } = await promisify(execFile)(process.execPath, [
      bin,
      '-p',
      folder,
      '--extendedDiagnostics',
    ])
    const seconds = (performance.now() - began) / 1000
    const of = (what: string) => new RegExp(`^${what}:\\s+(\\S+)`, 'm').exec(stdout)?.[1] ?? '?'
    console.log(
      `${name}: 100 tools in ${seconds.toFixed(1)} s, of which checking ${of('Check time')}; ${of('Instantiations')} instantiations`,
    )
    if (!(Number(of('Instantiations')) <= instantiationsAllowed))
      throw new Error(`more than ${instantiationsAllowed} instantiations`)
  }
} finally {
  await rm(folder, { recursive: true, force: true })
}
