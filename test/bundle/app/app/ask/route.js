import { ask } from "../../ask.mjs";

export const dynamic = "force-dynamic";

export async function GET(request) {
  try {
    return Response.json(await ask({ sql: new URL(request.url).searchParams.has("sql") }));
  } catch (error) {
    return new Response(String(error), { status: 500 });
  }
}
