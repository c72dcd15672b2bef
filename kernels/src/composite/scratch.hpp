// Memory that kernels fill as they like, kept from call to call.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

namespace pullfx {

// Owns the memory. One per thread; it grows to what the largest call needs and stays so.
class Arena {
  public:
    static Arena& of_this_thread();

    struct Chunk {
        std::unique_ptr<std::byte[]> memory;
        std::size_t size = 0;
    };

    // The chunk of that index, with room for as many bytes: another one than before where there was
    // less. Throws bad_alloc.
    const Chunk& chunk(std::size_t index, std::size_t bytes);

  private:
    std::vector<Chunk> chunks_;
};

// A place in an arena. What a copy takes is free again when the copy is gone.
class Scratch {
  public:
    explicit Scratch(Arena& arena) : arena_(&arena), index_(0) { enter(0); }

    // Undefined inside. Vectors may overrun it by 64 bytes.
    template <typename T>
    T* take(std::ptrdiff_t count) {
        const std::size_t line = 64;
        const std::size_t bytes =
            (static_cast<std::size_t>(count) * sizeof(T) + 2 * line - 1) / line * line;
        if (bytes > left_) {
            ++index_;
            enter(bytes);
        }
        T* taken = reinterpret_cast<T*>(next_);
        next_ += bytes;
        left_ -= bytes;
        return taken;
    }

  private:
    void enter(std::size_t bytes) {
        const Arena::Chunk& chunk = arena_->chunk(index_, bytes);
        next_ = chunk.memory.get();
        left_ = chunk.size;
    }

    Arena* arena_;
    std::size_t index_;
    std::byte* next_;
    std::size_t left_;
};

}  // namespace pullfx
