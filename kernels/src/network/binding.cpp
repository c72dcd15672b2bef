// The network in Python: its specification, field by field, and the running network.
#include "binding.hpp"

#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "../variant.hpp"
#include "network.hpp"

namespace nb = nanobind;

namespace pullfx {

namespace {

using Picture =
    nb::ndarray<const std::uint8_t, nb::shape<-1, -1, 3>, nb::c_contig, nb::device::cpu>;
using Mask = nb::ndarray<std::uint8_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Numbers = nb::ndarray<float, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <typename T>
void take_bytes(std::vector<T>& values, const nb::bytes& bytes) {
    static_assert(sizeof(T) == 1);
    const auto* begin = reinterpret_cast<const T*>(bytes.data());
    values.assign(begin, begin + bytes.size());
}

bool fits(const Network& network, const Mask& mask) {
    return network.numbers() == 0 && mask.shape(0) == static_cast<std::size_t>(network.height()) &&
           mask.shape(1) == static_cast<std::size_t>(network.width());
}

bool fits(const Network& network, const Numbers& numbers) {
    return network.numbers() > 0 && numbers.shape(0) == network.numbers();
}

Out out_of(const Mask& mask) { return {mask.data(), nullptr}; }

Out out_of(const Numbers& numbers) { return {nullptr, numbers.data()}; }

template <class Array>
void check_sizes(const Network& network, const Picture& picture, const Array& out) {
    if (picture.shape(0) != static_cast<std::size_t>(network.height()) ||
        picture.shape(1) != static_cast<std::size_t>(network.width()) || !fits(network, out)) {
        throw nb::value_error("the picture or the result has another size than the network");
    }
}

template <class Array>
void run(Network& network, Picture picture, Array out) {
    check_sizes(network, picture, out);
    nb::gil_scoped_release released;
    network.run(picture.data(), out_of(out));
}

template <class Array>
std::vector<std::int64_t> run_timed(Network& network, Picture picture, Array out) {
    check_sizes(network, picture, out);
    std::vector<std::int64_t> nanoseconds(network.step_count());
    nb::gil_scoped_release released;
    network.run(picture.data(), out_of(out), nanoseconds.data());
    return nanoseconds;
}

nb::bytes codes(const Network& network, int tensor) {
    const std::vector<std::uint8_t> values = network.codes(tensor);
    return nb::bytes(values.data(), values.size());
}

}  // namespace

void bind_network(nb::module_& module) {
    nb::class_<TensorSpec>(module, "TensorSpec")
        .def(
            "__init__",
            [](TensorSpec* spec, int height, int width, int channels, bool floats,
               std::int64_t offset) {
                new (spec) TensorSpec{height, width, channels, floats, offset};
            },
            nb::arg("height"), nb::arg("width"), nb::arg("channels"), nb::arg("floats"),
            nb::arg("offset"));
    nb::class_<ThinSpec>(module, "ThinSpec")
        .def(nb::init<>())
        .def_rw("kind", &ThinSpec::kind)
        .def_rw("a", &ThinSpec::a)
        .def_rw("b", &ThinSpec::b)
        .def_rw("table", &ThinSpec::table)
        .def_rw("tensor", &ThinSpec::tensor);
    nb::class_<StepSpec>(module, "StepSpec")
        .def(nb::init<>())
        .def_rw("kind", &StepSpec::kind)
        .def_rw("inputs", &StepSpec::inputs)
        .def_rw("output", &StepSpec::output)
        .def_rw("rows", &StepSpec::rows)
        .def_rw("columns", &StepSpec::columns)
        .def_rw("row_stride", &StepSpec::row_stride)
        .def_rw("column_stride", &StepSpec::column_stride)
        .def_rw("row_dilation", &StepSpec::row_dilation)
        .def_rw("column_dilation", &StepSpec::column_dilation)
        .def_rw("top", &StepSpec::top)
        .def_rw("left", &StepSpec::left)
        .def_rw("spread", &StepSpec::spread)
        .def_rw("phase_row", &StepSpec::phase_row)
        .def_rw("phase_column", &StepSpec::phase_column)
        .def_rw("repeat", &StepSpec::repeat)
        .def_rw("channel", &StepSpec::channel)
        .def_rw("place", &StepSpec::place)
        .def_rw("bias", &StepSpec::bias)
        .def_rw("factors", &StepSpec::factors)
        .def_rw("zeros", &StepSpec::zeros)
        .def_rw("thin", &StepSpec::thin)
        .def("set_weights", [](StepSpec& step, nb::bytes from) { take_bytes(step.weights, from); })
        .def("set_border", [](StepSpec& step, nb::bytes from) { take_bytes(step.border, from); })
        .def("set_table", [](StepSpec& step, nb::bytes from) { take_bytes(step.table, from); })
        .def("set_codes", [](StepSpec& step, nb::bytes zero, nb::bytes lowest, nb::bytes highest) {
            take_bytes(step.zero, zero);
            take_bytes(step.lowest, lowest);
            take_bytes(step.highest, highest);
        });
    nb::class_<Network>(module, "Network")
        .def(
            "__init__",
            [](Network* network, const Variant& variant, int height, int width,
               std::int64_t numbers, std::int64_t arena, std::vector<TensorSpec> tensors,
               std::vector<StepSpec> steps, int threads) {
                if (!variant.supported()) {
                    throw nb::value_error("this CPU lacks the instruction set");
                }
                new (network) Network(NetworkSpec{height, width, numbers, arena, std::move(tensors),
                                                  std::move(steps)},
                                      *variant.network, threads);
            },
            nb::arg("variant"), nb::arg("height"), nb::arg("width"), nb::arg("numbers"),
            nb::arg("arena"), nb::arg("tensors"), nb::arg("steps"), nb::arg("threads") = 1)
        .def("run", run<Mask>, nb::arg("picture").noconvert(), nb::arg("out").noconvert())
        .def("run", run<Numbers>, nb::arg("picture").noconvert(), nb::arg("out").noconvert())
        .def("run_timed", run_timed<Mask>, nb::arg("picture").noconvert(),
             nb::arg("out").noconvert())
        .def("run_timed", run_timed<Numbers>, nb::arg("picture").noconvert(),
             nb::arg("out").noconvert())
        .def("codes", codes, nb::arg("tensor"));
}

}  // namespace pullfx
