// The service of the flood test, in a process of its own. It reports its memory after garbage collection on
// request.
import { startService } from '../src/start-service.js'

const service = await startService()
process.send?.({ baseURL: service.baseURL, apiKey: service.apiKey })
process.on('message', (message) => {
  if (message === 'close') void service.close().then(() => process.disconnect())
  else {
    for (let round = 0; round < 3; round++) globalThis.gc?.()
    process.send?.({ megabytes: Math.round(process.memoryUsage().rss / 2 ** 20) })
  }
})
