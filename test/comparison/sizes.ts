// The size of a small program with each framework: an agent with one tool, minified, by gzip.
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'

/** The rows of the page. */
export const sizeRows = [
  { id: 'size', row: 'a program with one tool, minified, gzip' },
  { id: 'size-named', row: 'the same with `import { z }` in place of `import * as z`' },
  { id: 'size-own', row: 'the same without zod: the framework and what it brings' },
] as const

/** The agent of each, in the fewest lines; `parameters` is a schema. */
const programs: Readonly<Record<string, string>> = {
  capstan: `import { Agent, chatModel, tool } from '@capstan/core'
    const now = tool({ name: 'now', description: 'Time', parameters, execute: () => 12 })
    export default new Agent({ model: chatModel('m'), tools: [now] })`,
  ai: `import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
    import { ToolLoopAgent, tool } from 'ai'
    const now = tool({ description: 'Time', inputSchema: parameters, execute: () => 12 })
    export default new ToolLoopAgent({ model: createOpenAICompatible({ name: 'm', baseURL: 'b' })('m'), tools: { now } })`,
  'openai-agents': `import { Agent, OpenAIChatCompletionsModel, run, tool } from '@openai/agents'
    import OpenAI from 'openai'
    const now = tool({ name: 'now', description: 'Time', parameters, execute: () => '12' })
    const model = new OpenAIChatCompletionsModel(new OpenAI(), 'm')
    export default [run, new Agent({ name: 'a', model, tools: [now] })]`,
  langchain: `import { ChatOpenAI } from '@langchain/openai'
    import { createAgent, tool } from 'langchain'
    const now = tool(() => 12, { name: 'now', description: 'Time', schema: parameters })
    export default createAgent({ model: new ChatOpenAI({ model: 'm' }), tools: [now] })`,
  mastra: `import { Agent } from '@mastra/core/agent'
    import { createTool } from '@mastra/core/tools'
    const now = createTool({ id: 'now', description: 'Time', inputSchema: parameters, execute: async () => 12 })
    const model = { id: 'm/m', url: 'b' }
    export default new Agent({ id: 'a', name: 'a', instructions: '', model, tools: { now } })`,
  strands: `import { Agent, tool } from '@strands-agents/sdk'
    import { OpenAIModel } from '@strands-agents/sdk/models/openai'
    const now = tool({ name: 'now', description: 'Time', inputSchema: parameters, callback: () => 12 })
    export default new Agent({ model: new OpenAIModel({ api: 'chat', modelId: 'm' }), tools: [now] })`,
  tanstack: `import { chat, toolDefinition } from '@tanstack/ai'
    import { openaiCompatibleText } from '@tanstack/ai-openai/compatible'
    const now = toolDefinition({ name: 'now', description: 'Time', inputSchema: parameters }).server(() => 12)
    export default () => chat({ adapter: openaiCompatibleText('m', { baseURL: 'b', apiKey: '' }), messages: [], tools: [now] })`,
  openai: `import OpenAI from 'openai'
    import { zodFunction } from 'openai/helpers/zod'
    const now = zodFunction({ name: 'now', description: 'Time', parameters, function: () => 12 })
    export default () => new OpenAI().chat.completions.runTools({ model: 'm', messages: [], tools: [now] })`,
}

interface Esbuild {
  build(options: object): Promise<{ outputFiles: { contents: Uint8Array }[] }>
}

/** The cells of the rows above. */
export async function sizesOf(peer: string): Promise<Record<(typeof sizeRows)[number]['id'], string>> {
  const program = programs[peer] ?? ''
  const sized = async (line: string, external: string[] = []) =>
    `${await kilobytesOf(`${line}\n${schema}\n${program}`, external)} kB`
  return {
    size: await sized(`import * as z from 'zod'`),
    'size-named': await sized(`import { z } from 'zod'`),
    'size-own': await sized(`import * as z from 'zod'`, ['zod', 'zod/*']),
  }
}

const schema = 'const parameters = z.object({ city: z.string() })'

async function kilobytesOf(contents: string, external: string[]): Promise<number> {
  const { build } = createRequire(new URL('../../packages/core/package.json', import.meta.url))(
    'esbuild',
  ) as Esbuild
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: fileURLToPath(new URL('.', import.meta.url)) },
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    platform: 'node',
    mainFields: ['module', 'main'],
    conditions: ['development', 'import'],
    logLevel: 'silent',
    // One zod for all, as in an installation.
    alias: external.includes('zod')
      ? {}
      : { zod: fileURLToPath(new URL('node_modules/zod', import.meta.url)) },
    // Optional peers, loaded on demand.
    external: ['effect', 'sury', 'valibot', '@valibot/*', '*.node', ...external],
    tsconfigRaw: '{}',
  })
  return Math.round(gzipSync(outputFiles[0]?.contents ?? '', { level: 9 }).length / 1000)
}
