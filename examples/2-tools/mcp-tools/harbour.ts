// A small MCP server, instead of one from npm.
import { type ToolContext, tool } from '@capstan/core'
import { mcpServer } from '@capstan/mcp'
import * as z from 'zod'

const tides = tool({
  name: 'get_tides',
  description: 'When the water is high in a harbour',
  parameters: z.object({ harbour: z.string().describe('Name of the harbour') }),
  execute: ({ harbour }) => ({ harbour, high: ['04:12', '16:37'] }),
})

const chart = tool({
  name: 'draw_chart',
  description: 'Draws a chart of a harbour',
  parameters: z.object({ harbour: z.string().describe('Name of the harbour') }),
  execute: async ({ harbour }, { artifacts, progress }: ToolContext) => {
    progress(`looking at ${harbour}`)
    const svg =
      '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><circle cx="4" cy="4" r="3"/></svg>'
    return {
      chart: await artifacts.put(new TextEncoder().encode(svg), {
        kind: 'image',
        mediaType: 'image/svg+xml',
      }),
    }
  },
})

mcpServer([tides, chart], { name: 'harbour' }).serveStdio()
