#include "app/json.h"

#include <nlohmann/json.hpp>

namespace cane::cli {

struct JsonObject::State {
  // Labels may be arbitrary bytes; JSON is UTF-8.
  std::string text(int indent) const {
    return json.dump(indent, ' ', false, nlohmann::json::error_handler_t::replace);
  }

  nlohmann::ordered_json json = nlohmann::ordered_json::object();
};

JsonObject::JsonObject() : state_(std::make_unique<State>()) {}
JsonObject::JsonObject(JsonObject&&) noexcept = default;
JsonObject::~JsonObject() = default;

JsonObject JsonObject::parsed(const std::string& text) {
  JsonObject object;
  object.state_->json = nlohmann::ordered_json::parse(text);
  return object;
}

void JsonObject::set(const std::string& name, const std::string& value) {
  state_->json[name] = value;
}
void JsonObject::set(const std::string& name, const JsonObject& value) {
  state_->json[name] = value.state_->json;
}
void JsonObject::set(const std::string& name, const std::vector<std::string>& values) {
  state_->json[name] = values;
}
void JsonObject::set(const std::string& name, const std::vector<std::uint32_t>& values) {
  state_->json[name] = values;
}
void JsonObject::set(const std::string& name, const std::vector<double>& values) {
  state_->json[name] = values;
}
void JsonObject::set(const std::string& name, const std::vector<JsonObject>& values) {
  auto array = nlohmann::ordered_json::array();
  for (const JsonObject& value : values) array.push_back(value.state_->json);
  state_->json[name] = std::move(array);
}
void JsonObject::set_null(const std::string& name) {
  state_->json[name] = nullptr;
}
void JsonObject::set_bool(const std::string& name, bool value) {
  state_->json[name] = value;
}
void JsonObject::set_whole(const std::string& name, std::uint64_t value) {
  state_->json[name] = value;
}
void JsonObject::set_signed(const std::string& name, std::int64_t value) {
  state_->json[name] = value;
}
void JsonObject::set_real(const std::string& name, double value) {
  state_->json[name] = value;
}

void JsonObject::set_parsed(const std::string& name, const std::string& text) {
  auto parsed = nlohmann::ordered_json::parse(text, nullptr, false);
  if (parsed.is_discarded()) {
    state_->json[name] = text;
  } else {
    state_->json[name] = std::move(parsed);
  }
}

void JsonObject::merge(const JsonObject& other) {
  state_->json.update(other.state_->json);
}

std::string JsonObject::text() const {
  return state_->text(-1);
}

std::string JsonObject::indented_text() const {
  return state_->text(1);
}

}  // namespace cane::cli
