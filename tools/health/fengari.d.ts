/** The used part of a Lua machine without types of its own. */
declare module 'fengari' {
  interface State {
    readonly opaque: unique symbol;
  }
  const fengari: {
    readonly to_luastring: (text: string) => Uint8Array;
    readonly to_jsstring: (bytes: Uint8Array) => string;
    readonly lualib: { readonly luaopen_base: (state: State) => number };
    readonly lauxlib: {
      luaL_newstate(): State;
      luaL_requiref(state: State, name: Uint8Array, open: (state: State) => number, global: number): void;
      luaL_loadstring(state: State, script: Uint8Array): number;
    };
    readonly lua: {
      readonly LUA_OK: number;
      lua_setglobal(state: State, name: Uint8Array): void;
      lua_pcall(state: State, args: number, results: number, handler: number): number;
      lua_tostring(state: State, index: number): Uint8Array;
      lua_pushnil(state: State): void;
      lua_pushstring(state: State, value: Uint8Array): void;
      lua_pushnumber(state: State, value: number): void;
      lua_pushinteger(state: State, value: number): void;
      lua_pushboolean(state: State, value: boolean): void;
      lua_newtable(state: State): void;
      lua_settable(state: State, index: number): void;
      lua_next(state: State, index: number): number;
      lua_pop(state: State, count: number): void;
    };
  };
  export default fengari;
}
