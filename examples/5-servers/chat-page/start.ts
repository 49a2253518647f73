// A chat page for an agent, on this machine, until Ctrl-C: npm run example chat-page
import { startService } from '@capstan/service'
import { startPage } from './start-page.js'
import { toTraveller } from './traveller.js'

async function main(): Promise<void> {
  const service = await startService()
  const page = await startPage(toTraveller(service))
  console.log(`${page.origin} (Ctrl-C ends it)`)
  process.once('SIGINT', async () => {
    await page.close()
    await service.close()
  })
}

main()
