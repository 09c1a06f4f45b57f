-- What a user's script sees and for how long it runs. Loaded once per Lua state by syncline.adapters.scripts.lua with
-- (open, seconds); returns compile(text) and run(chunk, obj, parameters). Every run gets fresh globals and fresh copies
-- of the libraries, so that nothing one run leaves behind can be seen by the next.
local open, seconds = ...

local next, type, pcall, error, load, tostring = next, type, pcall, error, load, tostring
local rawget, setmetatable, sort, concat = rawget, setmetatable, table.sort, table.concat
local clock, sethook, setupvalue = os.clock, debug.sethook, debug.setupvalue

local function copy(from)
  local to = {}
  for key, value in next, from do to[key] = value end
  return to
end

-- Lua gives names in another order in every state. Messages must not change with it, so this order is fixed:
-- positions first, then names by the alphabet, then whatever else there is.
local rank = { number = 1, string = 2 }
local function before(one, other)
  local first, second = type(one), type(other)
  if first ~= second then return (rank[first] or 3) < (rank[second] or 3) end
  return (first == "number" or first == "string") and one < other
end

local function pairs(subject)
  if type(subject) ~= "table" then
    error("bad argument #1 to 'pairs' (table expected, got " .. type(subject) .. ")", 2)
  end
  local keys, count, at = {}, 0, 0
  for key in next, subject do
    count = count + 1
    keys[count] = key
  end
  sort(keys, before)
  return function()
    while at < count do
      at = at + 1
      local value = rawget(subject, keys[at])
      if value ~= nil then return keys[at], value end
    end
  end, subject, nil
end

local base = {
  assert = assert, error = error, getmetatable = getmetatable, ipairs = ipairs, next = next, pairs = pairs,
  pcall = pcall, rawequal = rawequal, rawget = rawget, rawset = rawset, select = select, tonumber = tonumber,
  tostring = tostring, type = type, unpack = table.unpack, _VERSION = "Lua 5.1",
  print = function() end,
  -- A finalizer would run later, with the time hook off and in somebody else's turn.
  setmetatable = function(subject, metatable)
    if type(metatable) == "table" and rawget(metatable, "__gc") ~= nil then
      error("__gc is not available", 2)
    end
    return setmetatable(subject, metatable)
  end,
}

-- Lua 5.1 had these; scripts written for Argo CD use them.
local libraries = {
  os = { time = os.time, date = os.date },
  table = {
    concat = table.concat, insert = table.insert, remove = table.remove, sort = table.sort, unpack = table.unpack,
    getn = function(list) return #list end,
    maxn = function(list)
      local highest = 0
      for key in next, list do
        if type(key) == "number" and key > highest then highest = key end
      end
      return highest
    end,
  },
}

if open then
  libraries.string = copy(string)
  libraries.string.dump = nil
  libraries.string.gfind = string.gmatch
  libraries.math = copy(math)
  libraries.math.mod = math.fmod
  libraries.math.log10 = function(number) return math.log(number, 10) end
  getmetatable("").__metatable = false
else
  debug.setmetatable("", nil)
end

local function fresh()
  local env = copy(base)
  local loaded = { _G = env }
  for name, library in next, libraries do
    local own = copy(library)
    env[name], loaded[name] = own, own
  end
  env._G = env
  env.package = { loaded = loaded, preload = {} }
  env.require = function(name)
    local found = loaded[name]
    if found == nil then error("module " .. tostring(name) .. " is not available", 2) end
    return found
  end
  -- Text only: compiled code from outside can break out of the Lua state.
  env.load = function(chunk, name, _, own)
    if type(chunk) == "function" then
      local parts, part = {}, chunk()
      while part ~= nil and part ~= "" do parts[#parts + 1], part = part, chunk() end
      chunk = concat(parts)
    end
    return load(chunk, name or "=load", "t", own == nil and env or own)
  end
  env.loadstring = function(text, name) return env.load(text, name) end
  return env
end

local deadline = 0
-- Once over, the hook fires on every instruction, so that no pcall can swallow the end.
local function check()
  if clock() > deadline then
    sethook(check, "", 1)
    error("__time_is_over", 0)
  end
end

local function compile(text)
  return load(text, "=script", "t")
end

local function run(chunk, obj, parameters)
  local env = fresh()
  env.obj, env.actionParams = obj, parameters
  setupvalue(chunk, 1, env)
  deadline = clock() + seconds
  sethook(check, "", 10000)
  local good, value = pcall(chunk)
  sethook()
  if good then return true, value, type(value) end
  if type(value) ~= "string" then value = "the script raised a " .. type(value) end
  return false, value, ""
end

return compile, run
