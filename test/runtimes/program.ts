// The cells as a program of Node, Bun and Deno.
import { runCells } from './cells.js'

const [baseURL = '', apiKey = ''] = process.argv.slice(2)
console.log(JSON.stringify(await runCells({ baseURL, apiKey })))
process.exit()
