import fengari from 'fengari';

const { lauxlib, lua, to_jsstring: text, to_luastring: bytes } = fengari;
type State = ReturnType<typeof lauxlib.luaL_newstate>;

/**
 * Runs a script with these globals and only the basic library. Returns the strings of its table.
 * @throws Error with Lua's message
 */
export function runLua(script: string, globals: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> {
  const state = lauxlib.luaL_newstate();
  lauxlib.luaL_requiref(state, bytes('_G'), fengari.lualib.luaopen_base, 1);
  for (const [name, value] of Object.entries(globals)) {
    push(state, value);
    lua.lua_setglobal(state, bytes(name));
  }
  if (lauxlib.luaL_loadstring(state, bytes(script)) !== lua.LUA_OK || lua.lua_pcall(state, 0, 1, 0) !== lua.LUA_OK)
    throw new Error(text(lua.lua_tostring(state, -1)));
  const result: Record<string, string> = {};
  lua.lua_pushnil(state);
  while (lua.lua_next(state, -2) !== 0) {
    result[text(lua.lua_tostring(state, -2))] = text(lua.lua_tostring(state, -1));
    lua.lua_pop(state, 1);
  }
  return result;
}

/** What JSON can say. */
function push(state: State, value: unknown): void {
  if (typeof value === 'string') lua.lua_pushstring(state, bytes(value));
  else if (typeof value === 'number') lua.lua_pushnumber(state, value);
  else if (typeof value === 'boolean') lua.lua_pushboolean(state, value);
  else if (typeof value === 'object' && value !== null) pushTable(state, value);
  else lua.lua_pushnil(state);
}

function pushTable(state: State, value: object): void {
  lua.lua_newtable(state);
  for (const [key, item] of Object.entries(value)) {
    if (Array.isArray(value)) lua.lua_pushinteger(state, Number(key) + 1);
    else lua.lua_pushstring(state, bytes(key));
    push(state, item);
    lua.lua_settable(state, -3);
  }
}
