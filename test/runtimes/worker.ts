// The cells as a worker, which reads the upstream in each request.
import { runCells } from './cells.js'

export default {
  async fetch(request: Request): Promise<Response> {
    return Response.json(await runCells(await request.json()))
  },
}
