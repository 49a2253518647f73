// Prints the cost of each tool in every request, in tokens: node --conditions=development --import=tsx
// packages/media/test/token-cost.ts
import { estimateTokenCount } from 'tokenx'
import { mediaTools } from '../src/index.js'

let total = 0
for (const { name, definition } of mediaTools()) {
  const tokens = estimateTokenCount(JSON.stringify(definition))
  total += tokens
  console.log(String(tokens).padStart(5), name)
}
console.log(String(total).padStart(5), 'all six')
