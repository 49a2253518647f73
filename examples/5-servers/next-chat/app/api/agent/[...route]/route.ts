import { handler } from '../../../../agent'

export { handler as DELETE, handler as GET, handler as HEAD, handler as OPTIONS, handler as POST }
