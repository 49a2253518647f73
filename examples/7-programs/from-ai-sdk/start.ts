// A port from the AI SDK, next to the program that it replaces: `before.ts` and `after.ts` print the same lines.
import { after } from './after.js'
import { before } from './before.js'

const lines: { before: string[]; after: string[] } = { before: [], after: [] }
await before((line) => lines.before.push(line))
await after((line) => lines.after.push(line))
console.log(lines.after.join('\n'))
console.log('the same lines as before:', lines.before.join('\n') === lines.after.join('\n'))
